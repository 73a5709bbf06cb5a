#!/bin/bash
# Installs the code-server in which sessions can be opened, once, into a folder: code-server.sh FOLDER. Its parts in C++ are built here.
set -euo pipefail
version=4.100.3 # the last one for Node 20
mkdir -p "$1"
cd "$1"
folder=$PWD
installed=.installed-$version-2
[ ! -e "$installed" ] || exit 0
echo "Installing code-server $version"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
  rm -rf node_modules
  echo '{"private": true}' >package.json
  npm install "code-server@$version" --ignore-scripts --no-audit --no-fund
  cd node_modules/code-server/lib/vscode
  npm install --omit=dev --ignore-scripts --no-audit --no-fund
  (cd extensions && npm install --omit=dev --ignore-scripts --no-audit --no-fund)
  local prefix gyp
  prefix=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
  gyp=$(dirname "$(readlink -f "$(command -v npm)")")/../node_modules/node-gyp/bin/node-gyp.js
  [ -e "$gyp" ] || gyp=/usr/share/nodejs/node-gyp/bin/node-gyp.js
  for part in node-pty @vscode/spdlog native-watchdog; do (cd "node_modules/$part" && node "$gyp" rebuild --nodedir="$prefix"); done
  ln -sfn node_modules node_modules.asar
  mkdir -p node_modules/@vscode/ripgrep/bin
  ln -sfn /usr/bin/rg node_modules/@vscode/ripgrep/bin/rg
  cd "$folder/node_modules/argon2"
  node "$gyp" rebuild --nodedir="$prefix" -- -Dmodule_name=argon2 -Dmodule_path=./lib/binding/napi-v3 -Dnapi_build_version=3
  # Webviews name their files by a host on the internet, and a service worker answers. While a page is closed, requests get past it: the
  # host becomes one of the same length that can't exist (RFC 2606).
  cd "$folder/node_modules/code-server"
  grep -rlIZ 'vscode-cdn\.net' lib/vscode/out lib/vscode/extensions | xargs -0 sed -i 's/vscode-cdn\.net/vscode.invalid/g'
  touch .cairn
}

set +e
(set -e && install) >"$log" 2>&1 # not as a condition, in which bash ignores set -e
status=$?
set -e
if [ "$status" != 0 ]; then
  tail -n 20 "$log" >&2
  exit 1
fi
chmod -R o+rX "$folder"
touch "$folder/$installed"

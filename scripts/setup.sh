#!/usr/bin/env bash
# Installs what this machine lacks from Debian's own packages; does nothing, quickly, when all is there.
#   setup.sh run       what sessions need. The server runs without it, so what cannot be installed is only said.
#   setup.sh test      also what the tests need. What cannot be installed is an error.
#   setup.sh versions  also what the benchmark of versions compares with, likewise.
#   setup.sh packages  also the proxies for which there are examples, likewise.
#   setup.sh ways      also Octave's kernel, and what builds code-server, likewise.
set -euo pipefail
purpose=$1

# A package, and the file that shows that it is there.
packages() {
  cat <<'TABLE'
git                 /usr/bin/git
jupyter-notebook    /usr/bin/jupyter-notebook
python3-ipykernel   /usr/lib/python3/dist-packages/ipykernel
python3-numpy       /usr/lib/python3/dist-packages/numpy
python3-matplotlib  /usr/lib/python3/dist-packages/matplotlib
python3-pip         /usr/lib/python3/dist-packages/pip
r-base-core         /usr/bin/R
r-cran-irkernel     /usr/share/jupyter/kernels/ir/kernel.json
bubblewrap          /usr/bin/bwrap
slirp4netns         /usr/bin/slirp4netns
iproute2            /usr/sbin/ip
TABLE
  [ "$purpose" = run ] || cat <<'TABLE'
chromium-headless-shell /usr/bin/chromium-headless-shell
postgresql          /usr/lib/postgresql/*/bin/initdb
util-linux          /usr/bin/setpriv
systemd             /usr/bin/systemd-analyze
jupyterhub          /usr/bin/jupyterhub
jupyter-server      /usr/bin/jupyter-server
python3-nbclassic   /usr/bin/jupyter-nbclassic
prometheus          /usr/bin/promtool
TABLE
  [ "$purpose" != versions ] || cat <<'TABLE'
restic              /usr/bin/restic
borgbackup          /usr/bin/borg
TABLE
  [ "$purpose" != ways ] || cat <<'TABLE'
python3-octave-kernel /usr/share/jupyter/kernels/octave/kernel.json
g++                 /usr/bin/g++
make                /usr/bin/make
ripgrep             /usr/bin/rg
TABLE
  [ "$purpose" != packages ] || cat <<'TABLE'
nginx               /usr/sbin/nginx
caddy               /usr/bin/caddy
haproxy             /usr/sbin/haproxy
TABLE
}

for command in go npm; do
  if ! command -v "$command" >/dev/null; then
    echo "'$command' is not installed. Building Cairn needs Go 1.26 and Node 20 or newer." >&2
    exit 1
  fi
done

missing=()
while read -r package proof; do
  compgen -G "$proof" >/dev/null || missing+=("$package")
done < <(packages)
[ ${#missing[@]} -gt 0 ] || exit 0

give_up() {
  echo "$1 Missing here: ${missing[*]}." >&2
  echo "On Debian: apt-get install --no-install-recommends ${missing[*]}" >&2
  [ "$purpose" = run ] || exit 1
  echo "The server starts all the same; sessions need these packages." >&2
  exit 0
}

[ -e /etc/debian_version ] && [ "$(id -u)" = 0 ] || give_up "Packages can only be installed by root on Debian."

for package in "${missing[@]}"; do echo "Installing $package"; done
log=$(mktemp)
hindrances=("$log") # files that are only there while this script installs
trap 'rm -f "${hindrances[@]}"' EXIT
# The tests start a PostgreSQL of their own: the package is kept from creating and starting its system-wide one, and
# those of JupyterHub and Prometheus from enabling and starting their units. A package that is there already is left as it is.
case " ${missing[*]} " in
  *" postgresql "*)
    no_cluster=/etc/postgresql-common/createcluster.d/cairn.conf
    mkdir -p "${no_cluster%/*}"
    echo 'create_main_cluster = false' >"$no_cluster"
    hindrances+=("$no_cluster")
    ;;
esac
for package in jupyterhub prometheus; do
  case " ${missing[*]} " in
    *" $package "*)
      masked=/etc/systemd/system/$package.service
      if [ ! -e "$masked" ] && [ ! -L "$masked" ]; then
        mkdir -p "${masked%/*}"
        ln -s /dev/null "$masked"
        hindrances+=("$masked")
      fi
      ;;
  esac
done
# The tests run proxies of their own.
case " ${missing[*]} " in
  *" nginx "* | *" caddy "* | *" haproxy "*)
    quiet=/usr/sbin/policy-rc.d
    if [ ! -e "$quiet" ]; then
      printf '#!/bin/sh\nexit 101\n' >"$quiet"
      chmod 755 "$quiet"
      hindrances+=("$quiet")
    fi
    ;;
esac
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update && apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}"; } \
  </dev/null >"$log" 2>&1; then
  tail -n 15 "$log" >&2
  give_up "apt-get could not install everything."
fi

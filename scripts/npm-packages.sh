#!/usr/bin/env bash
# Installs the npm packages of a folder (web or e2e) when its lock file differs from the one installed last. The digest
# decides, not the time: a fresh checkout or a switch of branches gives files new times.
# It is `npm install --no-save` and not `npm ci`, because `npm ci` refuses a lock file that lacks optional packages for
# other platforms, and npm leaves them out where a registry does not offer them. Versions come from the lock file in
# either case, and it is never written here; that it agrees with package.json is checked below.
set -euo pipefail
cd "$1"
stamp=node_modules/.installed
digest=$(sha256sum <package-lock.json)
if [ "$(cat "$stamp" 2>/dev/null)" != "$digest" ]; then
  node -e '
    const { readFileSync } = require("node:fs");
    const [wanted, { packages }] = ["package.json", "package-lock.json"].map((file) => JSON.parse(readFileSync(file)));
    const list = (of) => JSON.stringify(Object.entries({ ...of.dependencies, ...of.devDependencies }).sort());
    if (list(wanted) !== list(packages[""])) {
      console.error(`${process.cwd()}/package-lock.json does not agree with package.json. Run: npm install`);
      process.exit(1);
    }'
  echo "Installing the npm packages of $1"
  npm install --no-save --no-audit --no-fund --no-progress --loglevel=error >/dev/null
fi
echo "$digest" >"$stamp"

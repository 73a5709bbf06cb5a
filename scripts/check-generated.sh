#!/usr/bin/env bash
# Fails when api/openapi.json, the page's types, the list of licenses or the hub's filter of system calls differ from what
# the code says, and when a part of the binary has no license that is allowed. They are made anew in a temporary copy of
# their folders, so the working tree stays as it is.
set -euo pipefail
root=$PWD
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/api" "$copy/web/src/api" "$copy/internal/foundation/licenses" "$copy/deploy/jupyterhub"
cp web/package.json "$copy/web/"
ln -s "$root/web/node_modules" "$copy/web/node_modules"

bin/cairn openapi >"$copy/api/openapi.json"
npm run --silent generate --prefix "$copy/web" >/dev/null
go run ./internal/foundation/licenses/gather >"$copy/internal/foundation/licenses/licenses.json"
go run ./internal/sessions/machine/sandbox/filters >"$copy/deploy/jupyterhub/cairn_calls.json"

drift=0
for file in api/openapi.json web/src/api/schema.d.ts internal/foundation/licenses/licenses.json deploy/jupyterhub/cairn_calls.json; do
  # The list of licenses holds whole texts in a line.
  diff -u --label "$file" --label "$file, generated from the code" "$file" "$copy/$file" | head -40 | cut -c -300 || drift=1
done
if [ "$drift" = 1 ]; then
  echo "Generated files are out of date. Run: make generate" >&2
  exit 1
fi

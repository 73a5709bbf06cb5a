#!/usr/bin/env bash
# Serves the demo for work on the page: Vite serves the page and hands every other call to the server. People and the
# identity provider see one address, Vite's, so signing in works as in the product. After a change in Go, start it again.
set -euo pipefail
data=$1
page=http://127.0.0.1:5173
bin/cairn serve --demo --data "$data" --public-url "$page" &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" || true' EXIT
echo "The page is at $page"
cd web
node_modules/.bin/vite --host 127.0.0.1 --port 5173 --strictPort --logLevel warn

#!/usr/bin/env bash
# with-postgres.sh COMMAND...: runs a command with a PostgreSQL of its own, whose superuser address the command finds in
# CAIRN_TEST_POSTGRES. The cluster lives in a temporary folder, listens on a free port of 127.0.0.1 alone, and is gone
# afterwards; any other PostgreSQL of this machine is left alone. The folder is in CAIRN_POSTGRES_PARENT, which is
# /dev/shm by default: databases are created there in a third of the time. Without 2 GB of room there, it is in /tmp.
# CAIRN_POSTGRES_OPTIONS may hold more of the server's options, such as "-c shared_buffers=2GB".
set -euo pipefail

programs=$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -n 1) || true
if [ -z "$programs" ]; then
  echo "PostgreSQL is not installed. Run: scripts/setup.sh test" >&2
  exit 1
fi
programs=${programs%/initdb}
parent=${CAIRN_POSTGRES_PARENT:-/dev/shm}
if ! room=$(df --output=avail "$parent" | tail -n 1) || [ "$room" -lt 2097152 ]; then parent=/tmp; fi
folder=$(mktemp -d "$parent/cairn-postgres.XXXXXX")
server=

stop() {
  if [ -n "$server" ]; then
    kill -INT "$server" 2>/dev/null || true # fast shutdown
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# PostgreSQL refuses to run as root. The server ends with this script, whatever ends the script.
as=()
if [ "$(id -u)" = 0 ]; then
  as=(setpriv --reuid postgres --regid postgres --init-groups)
fi

password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
printf '%s\n' "$password" >"$folder/password"
if [ "$(id -u)" = 0 ]; then chown -R postgres:postgres "$folder"; fi
cd "$folder" # a folder that the server's user may read
"${as[@]}" "$programs/initdb" --pgdata "$folder/data" --username cairn --pwfile "$folder/password" --auth password \
  --encoding UTF8 --locale C.UTF-8 --no-sync >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }

# A port that is taken makes the server end at once: the next one is tried. Durability is of no use here.
for _ in {1..20}; do
  port=$((20000 + RANDOM % 12000))
  "${as[@]}" setpriv --pdeathsig INT "$programs/postgres" -D "$folder/data" -p "$port" -c listen_addresses=127.0.0.1 \
    -c unix_socket_directories= -c max_connections=300 -c fsync=off -c synchronous_commit=off \
    -c full_page_writes=off ${CAIRN_POSTGRES_OPTIONS:-} >>"$folder/log" 2>&1 </dev/null &
  server=$!
  until grep -qs '^ready' "$folder/data/postmaster.pid"; do
    kill -0 "$server" 2>/dev/null || { server=; break; }
    sleep 0.05
  done
  [ -z "$server" ] || break
done
if [ -z "$server" ]; then
  cat "$folder/log" >&2
  exit 1
fi

cd "$OLDPWD"
status=0
CAIRN_TEST_POSTGRES="postgres://cairn:$password@127.0.0.1:$port/postgres?sslmode=disable" "$@" || status=$?
exit "$status"

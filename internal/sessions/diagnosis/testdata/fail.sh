#!/bin/bash
# Fails in 75 ways and keeps what the programs print: fail.sh FOLDER [NAME...] writes FOLDER/NAME.log for each way.
# pip, git, Python and Jupyter are the real ones; indexes and hosts are on this machine. The ways in blind.sh were
# written, and their logs kept, before the rules that explain them; those in known.sh beside the rules.
set -u
here=$(cd "$(dirname "$0")" && pwd)
logs=$(cd "$1" && pwd) && shift
python=/usr/bin/python3
root=$(mktemp -d)
mkdir -p "$root"/{www/simple,work/data/spikes,work/study}
printf '1,2,3\n' >"$root/work/data/spikes/values.csv"
export HOME=$root LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 PIP_CONFIG_FILE=/dev/null PIP_RETRIES=2 PIP_TIMEOUT=2 PYTHONUNBUFFERED=1
export GIT_TERMINAL_PROMPT=0 GIT_CONFIG_NOSYSTEM=1 JUPYTER_NO_CONFIG=1 MPLBACKEND=agg
unset PIP_INDEX_URL PIP_FIND_LINKS PYTHONPATH
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=code.example.org -keyout "$root/key.pem" -out "$root/cert.pem" 2>/dev/null
$python "$here/serve.py" "$root/www" >"$root/port" &
server=$!
$python "$here/serve.py" "$root/www" "$root/cert.pem" "$root/key.pem" >"$root/tls-port" &
tls=$!
trap 'kill $server $tls; rm -rf "$root"' EXIT
until [ -s "$root/port" ] && [ -s "$root/tls-port" ]; do :; done
port=$(cat "$root/port") tls_port=$(cat "$root/tls-port")
host=http://127.0.0.1:$port secure=https://127.0.0.1:$tls_port
dead=127.0.0.1:9 # discard, where nothing listens
$python -m venv --system-site-packages --without-pip "$root/venv"

wheel() { $python "$here/wheel.py" "$root/www/simple" "$@"; }
install() { # the requirements on standard input, as the engine installs them
	cat >requirements.txt
	PIP_INDEX_URL=${index:-$host/simple/} "$root/venv/bin/python" -m pip install --no-input --disable-pip-version-check \
		--no-cache-dir --progress-bar off -r requirements.txt
}
source_of() { # NAME VERSION: a source distribution with the setup.py on standard input
	mkdir -p "$1-$2" "$root/www/simple/$1"
	cat >"$1-$2/setup.py"
	tar czf "$root/www/simple/$1/$1-$2.tar.gz" "$1-$2"
	echo "<a href=\"$1-$2.tar.gz\">$1</a>" >>"$root/www/simple/$1/index.html"
}
notebook() { # [KERNEL [LANGUAGE]]: writes study.ipynb with the cell on standard input
	$python -c '
import json, sys
kernel, language = (sys.argv[1:] + ["python3", "python"])[:2] if len(sys.argv) < 3 else sys.argv[1:3]
cell = {"cell_type": "code", "execution_count": None, "id": "a", "metadata": {}, "outputs": [], "source": sys.stdin.read()}
json.dump({"cells": [cell], "metadata": {"kernelspec": {"name": kernel, "display_name": kernel, "language": language}},
           "nbformat": 4, "nbformat_minor": 5}, open("study.ipynb", "w"))' "$@"
}
execute() { /usr/bin/jupyter-execute "$@" study.ipynb; }
cell() { notebook && execute; }
offline() { bwrap --bind / / --dev-bind /dev /dev --proc /proc --unshare-net "$@"; }
serve_jupyter() { # PATH BODY: starts a server, sends it a request and stops it
	/usr/bin/jupyter-notebook --allow-root --no-browser --NotebookApp.token=t --NotebookApp.sock="$root/j.sock" 2>&1 &
	local jupyter=$!
	until curl -sf --unix-socket "$root/j.sock" 'http://localhost/api/status?token=t' >/dev/null || ! kill -0 $jupyter; do :; done
	curl -s -o /dev/null --unix-socket "$root/j.sock" -H 'Authorization: token t' -d "$2" "http://localhost$1"
	kill $jupyter
	wait $jupyter
}

. "$here/blind.sh"
. "$here/unseen.sh"
[ ! -e "$here/known.sh" ] || . "$here/known.sh"
[ $# -gt 0 ] || set -- $(compgen -A function | grep _of_ | sort)
for name; do
	rm -rf "$root/work/study" && mkdir "$root/work/study" && cd "$root/work/study" || exit 1
	"$name" >"$root/log" 2>&1
	code=$?
	sed -E -e "s#$root/work#/session/work#g; s#$root#/session#g; s#127\.0\.0\.1:($port|$tls_port)#127.0.0.1:8099#g" \
		-e 's/\x1b\[[0-9;]*m//g; s/[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}/12:00:00.000/' "$root/log" | tail -c 16384 >"$logs/$name.log"
	echo "$name: exit $code"
done

#!/bin/sh -eu
# Builds the Gitea against which the part `hosts` of make test-all tests, from its Go module, and lays what it shows beside it: $1 is the
# program, $1-files its templates. It must be the main module, so its folder is copied. It needs a C compiler, for SQLite.
version=v1.26.0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'module gitea\n' >"$work/go.mod"
folder=$(cd "$work" && GOFLAGS=-mod=mod go mod download -json "code.gitea.io/gitea@$version" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
cp -r "$folder" "$work/gitea"
chmod -R u+w "$work/gitea"
program=$(pwd)/$1
rm -rf "$program-files"
mkdir -p "$program-files"
(cd "$work/gitea" && CGO_ENABLED=1 GOFLAGS=-mod=mod go build -ldflags '-s -w' -tags 'sqlite sqlite_unlock_notify' -o "$program" .)
cp -r "$work/gitea/templates" "$work/gitea/options" "$work/gitea/public" "$program-files"

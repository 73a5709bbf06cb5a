#!/usr/bin/env bash
# release.sh VERSION [FOLDER]: writes a release into a folder, bin/release by default: for each platform the binary, an
# archive with all that operators need, and its bill of materials; the chart; and the digests of these files. Equal sources
# give equal bytes, in whatever folder and whenever: times are those of SOURCE_DATE_EPOCH, by default of the commit.
set -euo pipefail
version=$1
out=${2:-bin/release}
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export LC_ALL=C TZ=UTC CGO_ENABLED=0 GOFLAGS="-buildvcs=false -trimpath" GOAMD64=v1 GOARM64=v8.0

rm -rf "$out"
mkdir -p "$out"
out=$(cd "$out" && pwd)

# archive FOLDER FILE: the folder beside its parents, in an order and with owners, modes and times that are always the same.
archive() {
  tar --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
    -C "$(dirname "$1")" -cf - "$(basename "$1")" | gzip -n -9 >"$2"
}

staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
(cd tools && go build -o "$staging/sbom" ./sbom)
for platform in linux/amd64 linux/arm64; do
  name=${platform/\//-}
  echo "Building $version for $platform"
  mkdir "$out/$name"
  GOOS=${platform%/*} GOARCH=${platform#*/} go build -ldflags "-s -w -X main.version=$version" -o "$out/$name/cairn" ./cmd/cairn
  "$staging/sbom" "$out/$name/cairn" "$version" internal/foundation/licenses/licenses.json >"$out/cairn-$version-$name.cdx.json"
  folder=$staging/cairn-$version-$name
  mkdir -p "$folder"
  cp "$out/$name/cairn" LICENSE NOTICE README.md "$folder/"
  cp -r docs deploy "$folder/"
  find "$folder" \( -name '*_test.go' -o -name 'test_*.py' -o -name embed.go \) -delete
  find "$folder" -name '__pycache__' -prune -exec rm -rf {} +
  rm -rf "$folder/docs/screens"
  archive "$folder" "$out/cairn-$version-$name.tar.gz"
done
# Helm wants the version of a chart to be one of semantic versioning.
mkdir "$staging/chart"
cp -r deploy/helm/cairn "$staging/chart/cairn"
sed -i -e "s/^appVersion: .*/appVersion: \"$version\"/" "$staging/chart/cairn/Chart.yaml"
archive "$staging/chart/cairn" "$out/cairn-chart-$version.tgz"
cd "$out"
sha256sum -- *.tar.gz *.tgz *.cdx.json >SHA256SUMS
ls -l

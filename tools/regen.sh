#!/bin/sh
# regen.sh - recreates src/gen/*.pb-c.[ch] from proto/*.proto. With --check it changes nothing and
# fails when what is checked in differs (CI runs that).
set -eu
cd "$(dirname "$0")/.."
out=src/gen
work=
if [ "${1:-}" = --check ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    out=$work
fi
protos=$(cd proto && find . -name '*.proto' | sed 's|^\./||' | LC_ALL=C sort)
[ -n "$protos" ] || { echo "regen: no proto/*.proto" >&2; exit 1; }
mkdir -p "$out"
# shellcheck disable=SC2086 # one word per file
protoc-c --proto_path=proto --c_out="$out" $protos
[ -n "$work" ] || exit 0

bad=0
for f in $(cd "$work" && find . -name '*.pb-c.[ch]') ; do
    cmp -s "$work/$f" "src/gen/$f" || { echo "src/gen/${f#./} differs from proto/: run tools/regen.sh" >&2; bad=1; }
done
for f in $(cd src/gen && find . -name '*.pb-c.[ch]'); do
    [ -e "$work/$f" ] || { echo "src/gen/${f#./} comes from no proto file" >&2; bad=1; }
done
exit $bad

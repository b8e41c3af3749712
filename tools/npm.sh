#!/bin/sh
# npm.sh - installs the pinned packages of tests/interop/package.json into node_modules/ at the root
# (idempotent) and prints that folder. Exit 77: no Node, or the registry cannot be reached.
# No lock file is kept: versions are exact in package.json, and locks record registry addresses.
set -eu
cd "$(dirname "$0")/.."
want=tests/interop/package.json
mark=node_modules/.installed-package.json
if [ -e node_modules/@lancedb/lancedb ] && cmp -s "$want" "$mark"; then
    echo "$PWD/node_modules"
    exit 0
fi
command -v node >/dev/null && command -v npm >/dev/null ||
    { echo "npm: no Node here; run tools/deps.sh test" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$want" "$work/package.json"
if ! (cd "$work" && npm install --no-package-lock --no-audit --no-fund --loglevel=error) \
     >"$work/log" 2>&1 </dev/null; then
    grep -v '://' "$work/log" | tail -n 5 >&2
    echo "npm: the packages of $want cannot be installed here" >&2
    exit 77
fi
rm -rf node_modules
mv "$work/node_modules" node_modules
cp "$want" "$mark"
echo "$PWD/node_modules"

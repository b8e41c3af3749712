#!/bin/sh
# venv.sh - makes .venv with the pinned packages of tests/interop/requirements.txt (idempotent) and
# prints its Python. Exit 77: the package index cannot be reached, or no Python can make one.
set -eu
cd "$(dirname "$0")/.."
want=tests/interop/requirements.txt
mark=.venv/installed-requirements.txt
if [ -x .venv/bin/python ] && cmp -s "$want" "$mark" && .venv/bin/python -c '' 2>/dev/null; then
    echo "$PWD/.venv/bin/python"
    exit 0
fi
base=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
        base=$candidate
        break
    fi
done
[ -n "$base" ] || { echo "venv: no Python 3.10 or newer with venv; run tools/deps.sh test" >&2; exit 77; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
rm -rf .venv
if ! { "$base" -m venv .venv &&
       .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input -r "$want"; } \
     >"$log" 2>&1 </dev/null; then
    grep -v '://' "$log" | tail -n 5 >&2
    echo "venv: the packages of $want cannot be installed here" >&2
    exit 77
fi
cp "$want" "$mark"
echo "$PWD/.venv/bin/python"

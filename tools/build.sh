#!/bin/sh
# build.sh - configures and builds one preset quietly. Usage: tools/build.sh release|asan|tsan|fuzz
# The output is kept in build/PRESET.log and shown only when something fails or warns.
set -eu
cd "$(dirname "$0")/.."
preset=${1:-release}
log=build/$preset.log
mkdir -p build
werror=OFF
[ -z "${CI:-}" ] || werror=ON
# Unit tests run in the sanitizer builds; the release build is what is installed.
tests=ON
case $preset in release | fuzz) tests=OFF ;; esac
start=$(date +%s)
if ! { cmake --preset "$preset" -DINARCH_WERROR=$werror -DINARCH_TESTS=$tests &&
       cmake --build "build/$preset"; } >"$log" 2>&1; then
    grep -nE 'error|FAILED|undefined reference' "$log" | head -n 40 >&2
    tail -n 20 "$log" >&2
    echo "build: $preset failed, the whole output is in $log" >&2
    exit 1
fi
if grep -q 'warning:' "$log"; then
    grep 'warning:' "$log" | sort -u | head -n 20 >&2
fi
echo "built build/$preset in $(($(date +%s) - start)) s"

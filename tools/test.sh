#!/bin/bash
# test.sh - installs what tests need, builds twice, then runs every suite under its own time cap.
# Usage: tools/test.sh [--long] [--no-build] [NAME-PART ...]
#   --long      also the campaigns (suites marked "long"), and long settings in the others
#   --no-build  take build/release and build/asan as they are
#   NAME-PART   only the suites whose name contains one of these
# A suite is an executable tests/suites/NN-name with the line "# cap: SECONDS"; "# cap-long:" counts
# under --long, "# long: yes" keeps it out of the short run. Exit 77 means that something it needs
# cannot be had here: skipped loudly, and a failure where CI=true.
set -u
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=tests/suite_env.sh
. tests/suite_env.sh

long=0 build=1 only=()
for arg in "$@"; do
    case $arg in
    --long) long=1 ;;
    --no-build) build=0 ;;
    -*) echo "usage: tools/test.sh [--long] [--no-build] [NAME-PART ...]" >&2; exit 2 ;;
    *) only+=("$arg") ;;
    esac
done
export INARCH_LONG=$long

build_cap=480
logs=build/test-logs
passed=0 failed=0 skipped=0
mkdir -p "$logs"

wanted() {
    [ ${#only[@]} -eq 0 ] && return 0
    local part
    for part in "${only[@]}"; do [[ $1 == *"$part"* ]] && return 0; done
    return 1
}

header() { sed -n "s/^[#/ ]*$2: *//p;20q" "$1" | head -n 1; }

# run NAME CAP COMMAND...: one line before, one after; the log's tail when it failed.
run() {
    local name=$1 cap=$2 start=$SECONDS rc took word
    shift 2
    printf '%-22s cap %4d s  ' "$name" "$cap"
    # The braces keep the shell's own word about a killed suite off the table.
    { timeout --kill-after=15 "$cap" "$@" >"$logs/$name.log" 2>&1 </dev/null; } 2>/dev/null
    rc=$?
    took=$((SECONDS - start))
    case $rc in
    0) word=ok; passed=$((passed + 1)) ;;
    77) word=SKIPPED; skipped=$((skipped + 1))
        if [ "${CI:-}" = true ]; then word='SKIPPED (a failure in CI)'; failed=$((failed + 1)); fi ;;
    124 | 137) word='FAILED: over its cap'; failed=$((failed + 1)) ;;
    *) word="FAILED: exit $rc"; failed=$((failed + 1)) ;;
    esac
    printf '%4d s  %s\n' "$took" "$word"
    case $rc in
    0) grep '^note: ' "$logs/$name.log" | sed 's/^/    /' ;;
    77) tail -n 3 "$logs/$name.log" | sed 's/^/    /' ;;
    *) tail -n 60 "$logs/$name.log" | sed 's/^/    /' ;;
    esac
    return "$rc"
}

if [ "$build" -eq 1 ]; then
    tools/deps.sh test || exit 1
    if ! run build "$build_cap" sh -c 'tools/build.sh release && tools/build.sh asan'; then
        printf '\n%d passed, %d failed\n' "$passed" "$failed"
        exit 1
    fi
fi

for suite in tests/suites/[0-9][0-9]-*; do
    [ -x "$suite" ] || continue
    name=$(basename "$suite")
    wanted "$name" || continue
    [ "$(header "$suite" long)" = yes ] && [ "$long" -eq 0 ] && continue
    cap=$(header "$suite" cap)
    if [ "$long" -eq 1 ]; then
        cap_long=$(header "$suite" cap-long)
        cap=${cap_long:-$cap}
    fi
    if ! [[ $cap =~ ^[0-9]+$ ]]; then
        echo "$name has no line \"# cap: SECONDS\"" >&2
        failed=$((failed + 1))
        continue
    fi
    run "$name" "$cap" "$suite"
done

printf '\n'
if [ "$skipped" -gt 0 ]; then
    printf '%d SKIPPED: see above for what was missing\n' "$skipped"
fi
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]

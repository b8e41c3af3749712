# suite_env.sh - what every suite may count on; sourced by tools/test.sh and by each suite, so that
# a suite also runs by itself. After it the working directory is the project's root.
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT" || exit 2
export ROOT
export BUILD_RELEASE=$ROOT/build/release BUILD_ASAN=$ROOT/build/asan
export INARCH_LONG=${INARCH_LONG:-0}
export ASAN_OPTIONS=${ASAN_OPTIONS:-abort_on_error=0:detect_leaks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export PYTHONDONTWRITEBYTECODE=1
export LC_ALL=C.UTF-8

# skip REASON: says loudly why the suite cannot run here and ends it.
skip() { echo "SKIPPED: $*"; exit 77; }

# built PRESET FILE: the path of a built file, or the suite fails naming it.
built() {
    local path=$ROOT/build/$1/$2
    [ -e "$path" ] || { echo "missing $path: run tools/build.sh $1" >&2; exit 1; }
    echo "$path"
}

# the_command PRESET: where the inarch program of a build lies.
the_command() {
    local path
    for path in "$ROOT/build/$1/inarch" "$ROOT/build/$1/bin/inarch" "$ROOT/build/$1/src/cli/inarch"; do
        [ -x "$path" ] && { echo "$path"; return; }
    done
    echo "no inarch program under build/$1: run tools/build.sh $1" >&2
    exit 1
}

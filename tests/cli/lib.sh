# lib.sh - what the command-line tests share; sourced first. Each test works in its own directory,
# which is removed at the end; `inarch` is the program under test.
. "$(dirname "${BASH_SOURCE[0]}")/../suite_env.sh"
INARCH=${INARCH:-$(the_command "${INARCH_PRESET:-asan}")} || exit 1
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 2

out='' err='' code=0      # of the last run
checks=0 failures=0
last=''                   # the last command, for messages

# run ARGUMENT...: runs inarch; its results are in $out, $err and $code. Never ends the test.
run() { run_in "" "$@"; }

# run_in TEXT ARGUMENT...: the same with TEXT as standard input.
run_in() {
    local text=$1
    shift
    last="inarch $*"
    printf '%s' "$text" | "$INARCH" "$@" >"$WORK/.out" 2>"$WORK/.err"
    code=${PIPESTATUS[1]}
    out=$(cat "$WORK/.out") err=$(cat "$WORK/.err")
}

failed() {
    failures=$((failures + 1))
    printf '%s:%s: %s\n    after: %s\n    exit: %s\n' "$0" "${BASH_LINENO[1]}" "$1" "$last" "$code" >&2
    printf '%s\n' "$out" | head -n 20 | sed 's/^/    out: /' >&2
    printf '%s\n' "$err" | head -n 20 | sed 's/^/    err: /' >&2
}

expect_exit() {
    checks=$((checks + 1))
    [ "$code" -eq "$1" ] || failed "expected exit $1"
}

expect_out() {
    checks=$((checks + 1))
    [[ $out == *"$1"* ]] || failed "expected on stdout: $1"
}

expect_no_out() {
    checks=$((checks + 1))
    [ -z "$out" ] || failed "expected nothing on stdout"
}

expect_err() {
    checks=$((checks + 1))
    [[ $err == *"$1"* ]] || failed "expected on stderr: $1"
}

expect_no_err() {
    checks=$((checks + 1))
    [ -z "$err" ] || failed "expected nothing on stderr"
}

# expect_out_is TEXT: the whole of stdout.
expect_out_is() {
    checks=$((checks + 1))
    [ "$out" = "$1" ] || failed "expected stdout to be: $1"
}

# expect_json EXPRESSION [WANT]: a Python expression over `j`, the parsed stdout, equals WANT (or is true).
expect_json() {
    local got
    checks=$((checks + 1))
    got=$(python3 -c 'import json, sys
j = json.load(open(sys.argv[1], encoding="utf-8"))
v = eval(sys.argv[2])
print(v if isinstance(v, str) else json.dumps(v))' "$WORK/.out" "$1" 2>&1)
    [ "$got" = "${2:-true}" ] || failed "expected $1 to be ${2:-true}, got: $got"
}

# json EXPRESSION: prints it, for use in later commands.
json() {
    python3 -c 'import json, sys
j = json.load(open(sys.argv[1], encoding="utf-8"))
v = eval(sys.argv[2])
print(v if isinstance(v, str) else json.dumps(v))' "$WORK/.out" "$1"
}

# ok ARGUMENT...: runs inarch and expects success.
ok() {
    run "$@"
    checks=$((checks + 1))
    [ "$code" -eq 0 ] || failed "expected success"
}

# refused CODE TEXT ARGUMENT...: exit CODE, TEXT on stderr, nothing on stdout.
refused() {
    local want=$1 text=$2
    shift 2
    run "$@"
    checks=$((checks + 1))
    if [ "$code" -ne "$want" ]; then failed "expected exit $want"
    elif [[ $err != *"$text"* ]]; then failed "expected on stderr: $text"
    elif [ -n "$out" ]; then failed "expected nothing on stdout"
    fi
}

# finish: the last line of every test.
finish() {
    echo "$(basename "$0"): $checks checks, $failures failures"
    [ "$failures" -eq 0 ] && [ "$checks" -gt 0 ]
    exit $?
}

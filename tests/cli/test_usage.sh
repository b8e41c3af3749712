#!/bin/bash
# Help, usage errors and exit codes: 2 for a wrong line, 1 for a refused request, results on stdout only.
. "$(dirname "$0")/lib.sh"
T=$ROOT/examples/tiny

ok --help
expect_out 'branch merge'
expect_no_err
ok help
ok version
version=$out
ok --version
expect_out_is "$version"
run
expect_exit 2

# every command listed explains itself
ok --help
while read -r name; do
    # shellcheck disable=SC2086 # two words for grouped commands
    ok $name --help
    expect_out "usage: inarch $name"
    expect_no_err
done < <(printf '%s\n' "$out" | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on' |
    sed -E 's/^  ((branch|commit|schema|table) [a-z]+|[a-z]+) .*/\1/')

refused 2 'nosuch' nosuch
refused 2 'unknown' branch nosuch
refused 2 '--nosuch' status g --nosuch
refused 2 '--data' load g --mode append
refused 2 'sideways' load g --data x --mode sideways
refused 2 '--mode' load g --data x
refused 2 'needs a value' load g --data
refused 2 'twice' load g --data a --data b --mode append
refused 2 'no value' status g --json=yes
refused 2 '--store' branch list
refused 2 'NAME' branch create --store g
refused 2 'exclude' query q -e 'query q() {}' --branch a --snapshot b --store g
refused 2 'exclude' query q -e 'query q() {}' --json --format csv --store g
refused 2 'exclude' query q -e 'query q() {}' --params '{}' --params-file x --store g
refused 2 'sometimes' branch merge a --adopt sometimes --store g
refused 2 'loud' status g --durability loud
refused 2 '12Q' status g --memory 12Q
refused 2 '--version' table info g --version zero
refused 2 'extra' branch create one extra --store g

# no graph there: named, exit 1
refused 1 'nowhere' status nowhere
refused 1 'nowhere' query -e 'query q() { match { $t: T } return { $t.a } }' --store nowhere
refused 1 'missing.pg' init --schema missing.pg g
[ ! -e g ] || { checks=$((checks + 1)); failed "a refused init left a directory"; }
printf 'node Tree {\n    name: Strng @key\n}\n' >bad.pg
refused 1 'bad.pg' init --schema bad.pg g
expect_err '2'
expect_err 'Strng'
[ ! -e g ] || { checks=$((checks + 1)); failed "a refused init left a directory"; }
printf 'node Photo {\n    name: String @key\n    pixels: Blob\n}\n' >blob.pg
refused 1 'Blob' init --schema blob.pg g

# the store by option, position or variable
ok init --schema "$T/schema.pg" g
ok status g
ok status --store g
export INARCH_STORE=g
ok status
ok branch list
unset INARCH_STORE
ok load g --data "$T/data.jsonl" --mode overwrite --quiet
expect_no_err
ok load g --data "$T/data.jsonl" --mode merge --durability relaxed --memory 64M
expect_err 'g'

# a query that does not parse or check: place, text and caret
refused 1 '-e:1:44' query -e 'query q() { match { $t: Tree } return { $t.hight } }' --store g
expect_err '^'
expect_err 'hight'
refused 1 'parse error' query -e 'query q() { match { $t: Tree } return }' --store g
refused 1 'missing.gq' query q --query missing.gq --store g
refused 1 'params' query trees --query "$T/queries.gq" --params '{' --store g
refused 1 'name' query stock --query "$T/queries.gq" --store g
refused 1 'string' query stock --query "$T/queries.gq" --params '{"name": 3}' --store g
refused 1 'queries' query --query "$T/queries.gq" --store g

finish

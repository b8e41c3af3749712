#!/bin/bash
# Loads: the three modes, what a line may say, the line number of everything refused, one commit or none.
. "$(dirname "$0")/lib.sh"
T=$ROOT/examples/tiny
Q="--query $T/queries.gq --store g"
ok init --schema "$T/schema.pg" g

# lines FILE LINE...: writes a file of lines
lines() { local f=$1; shift; printf '%s\n' "$@" >"$f"; }
load() { local mode=$1; shift; lines in.jsonl "$@"; run load g --data in.jsonl --mode "$mode"; }
loads() { load "$@"; expect_exit 0; }
load_refused() {
    local text=$1 head
    shift
    head=$("$INARCH" snapshot g --json | grep graph_commit_id)
    load "$@"
    expect_exit 1
    expect_err "$text"
    expect_no_out
    [ "$("$INARCH" snapshot g --json | grep graph_commit_id)" = "$head" ] || failed "a refused load made a commit"
}
rows() { run query -e "query q() { match { \$t: $1 } return { count(\$t) as n } }" --store g --format csv; expect_out_is "n
$2"; }

ok load g --data "$T/data.jsonl" --mode append
expect_out '10 entities across 2 node types and 2 edge types'
rows Tree 3

# append: an id that is there is refused, whole
load_refused 'North' append '{"type":"Orchard","data":{"name":"West"}}' '{"type":"Orchard","data":{"name":"North"}}'
rows Orchard 2

# merge: full-row replacement, blank lines counted, edges before their nodes
loads merge '' '{"edge":"GrowsIn","from":"Winter","to":"West","data":{"id":"Winter"}}' \
    '{"type":"Tree","data":{"name":"Winter","variety":"apple"}}' '' '{"type":"Orchard","data":{"name":"West"}}' \
    '{"type":"Tree","data":{"name":"Boskoop","variety":"apple"}}'
run query trees $Q --format csv
expect_out 'Boskoop,apple,null,North'
expect_out 'Winter,apple,null,West'

# a later line of one edge id wins; two lines of one key do not
loads merge '{"edge":"GraftedOn","from":"Winter","to":"Vranja","data":{"id":"Winter","since":"2020-01-01"}}' \
    '{"edge":"GraftedOn","from":"Winter","to":"Vranja","data":{"id":"Winter","since":"2021-01-01"}}'
run query -e 'query q() { match { $a: Tree { name: "Winter" } $a $g: graftedOn $b } return { $g.since } }' --store g --format csv
expect_out '2021-01-01'
load_refused 'Quince' merge '{"type":"Tree","data":{"name":"Quince","variety":"quince"}}' \
    '{"type":"Tree","data":{"name":"Quince","variety":"pear"}}'

# everything wrong is named with its line
load_refused 'line 2' merge '' '{"type":"Tree","data":{"name":"A"'
load_refused 'line 1' merge '[1]'
load_refused 'line 1' merge '{"type":"Tree","edge":"GrowsIn","data":{}}'
load_refused 'line 1' merge '{"data":{}}'
load_refused 'Shrub' merge '{"type":"Shrub","data":{"name":"A"}}'
load_refused 'colour' merge '{"type":"Tree","data":{"name":"A","variety":"pear","colour":"red"}}'
load_refused 'more' merge '{"type":"Tree","data":{"name":"A","variety":"pear"},"more":1}'
load_refused 'line 1' merge '{"type":"Tree","data":{"name":"A","name":"B","variety":"pear"}}'
load_refused 'variety' merge '{"type":"Tree","data":{"name":"A"}}'
load_refused 'plum' merge '{"type":"Tree","data":{"name":"A","variety":"plum"}}'
load_refused 'height' merge '{"type":"Tree","data":{"name":"A","variety":"pear","height":"tall"}}'
load_refused 'height' merge '{"type":"Tree","data":{"name":"A","variety":"pear","height":31}}'
load_refused 'planted' merge '{"type":"Tree","data":{"name":"A","variety":"pear","planted":"2023-02-29"}}'
load_refused 'from' merge '{"edge":"GrowsIn","to":"North"}'
load_refused 'Nobody' merge '{"edge":"GrowsIn","from":"Nobody","to":"North"}'
load_refused 'card' merge '{"edge":"GrowsIn","from":"Winter","to":"North"}'
load_refused 'id' merge '{"type":"Tree","data":{"id":"B","name":"A","variety":"pear"}}'

# overwrite: the types in the file, and only those; what dangles is refused
load_refused 'not found in Tree' overwrite '{"type":"Tree","data":{"name":"Alone","variety":"pear"}}'
loads overwrite '{"edge":"GraftedOn","from":"Winter","to":"Boskoop","data":{"id":"Winter"}}'
rows Tree 4
run query -e 'query q() { match { $a: Tree $a $g: graftedOn $b } return { $a.name, $b.name } }' --store g --format csv
expect_out_is 'a.name,b.name
Winter,Boskoop'

# dates as days, a branch made on the way, standard input, a message and an actor
loads merge '{"type":"Tree","data":{"name":"Winter","variety":"apple","planted":19782}}'
run query -e 'query q() { match { $t: Tree { name: "Winter" } } return { $t.planted } }' --store g --format csv
expect_out '2024-02-29'
refused 1 'elsewhere' load g --data in.jsonl --mode merge --branch elsewhere
run_in '{"type":"Orchard","data":{"name":"East"}}' load g --data - --mode merge --branch elsewhere --from main -m 'from a pipe' --as gardener
expect_exit 0
expect_out 'branch elsewhere created from main'
ok commit list g --branch elsewhere --json
expect_json 'j["commits"][0]["message"]' 'from a pipe'
expect_json 'j["commits"][0]["actor_id"]' gardener
rows Orchard 3
ok query -e 'query q() { match { $o: Orchard } return { count($o) as n } }' --store g --branch elsewhere --format csv
expect_out '4'
refused 1 'gone.jsonl' load g --data gone.jsonl --mode merge
ok verify g --all

finish

#!/bin/bash
# The ten-row story through the command alone: every mode of change, both kinds of merge, time travel.
. "$(dirname "$0")/lib.sh"
T=$ROOT/examples/tiny
Q="--query $T/queries.gq --store g"

ok init --schema "$T/schema.pg" g
refused 1 'g' init --schema "$T/schema.pg" g
refused 2 '' load g --data "$T/data.jsonl"
ok load g --data "$T/data.jsonl" --mode overwrite --json
expect_json 'j["total_entities"]' 10
expect_json '[n["entities_loaded"] for n in j["nodes"]]' '[2, 3]'
ok verify g

# reading: every format, a parameter, a name that is not there
ok query trees $Q --json
expect_json 'j["row_count"]' 3
expect_json 'j["columns"]' '["tree", "variety", "height", "orchard"]'
expect_json '[r["tree"] for r in j["rows"]]' '["Boskoop", "Conference", "Vranja"]'
ok query trees $Q --format csv
expect_out_is "tree,variety,height,orchard
Boskoop,apple,4.5,North
Conference,pear,3.2,South
Vranja,quince,2.8,South"
ok query stock $Q --params '{"name": "Boskoop"}' --format csv
expect_out_is "stock,variety
Conference,pear
Vranja,quince"
refused 1 'nothing_like_it' query nothing_like_it $Q
refused 1 'T1' query -e 'query q() { match { $t: Treee } return { $t.name } }' --store g
refused 1 'mutate' query fell $Q --params '{"name": "Vranja"}'
refused 1 'query' mutate trees $Q

# constraints: refused by name, nothing written
ok commit list g --json
head=$(json 'j["commits"][0]["graph_commit_id"]')
refused 1 'range' mutate measure $Q --params '{"name": "Vranja", "height": 31}'
refused 1 'Nowhere' mutate plant $Q --params '{"name": "X", "variety": "apple", "orchard": "Nowhere"}'
refused 1 'plum' mutate plant $Q --params '{"name": "X", "variety": "plum", "orchard": "North"}'
refused 1 'card' mutate -e 'query q() { insert GrowsIn { from: "Vranja", to: "North" } }' --store g
printf '\n\n{"type":"Tree","data":{"name":"X","variety":"apple","colour":"red"}}\n' >bad.jsonl
refused 1 'line 3' load g --data bad.jsonl --mode merge
expect_err 'colour'
ok commit list g --json
expect_json 'j["commits"][0]["graph_commit_id"]' "$head"

# two sides
ok branch create spring --from main --store g
refused 1 'spring' branch create spring --from main --store g
ok mutate measure $Q --params '{"name": "Boskoop", "height": 4.9}' --branch spring --json
expect_json 'j["affected_nodes"]' 1
ok mutate plant $Q --params '{"name": "Gellert", "variety": "pear", "orchard": "North"}' --branch spring --json
expect_json '[j["affected_nodes"], j["affected_edges"]]' '[1, 1]'
ok mutate measure $Q --params '{"name": "Vranja", "height": 3.1}' -m 'measured' --as tester
ok query trees $Q --format csv
expect_out 'Boskoop,apple,4.5,North'
ok query trees $Q --branch spring --format csv
expect_out 'Vranja,quince,2.8,South'
ok branch merge spring --into main --dry-run --store g
ok query trees $Q --format csv
expect_out 'Boskoop,apple,4.5,North'
ok branch merge spring --into main --store g --json
expect_json 'j["outcome"]' merged
ok query trees $Q --format csv
expect_out_is "tree,variety,height,orchard
Boskoop,apple,4.9,North
Conference,pear,3.2,South
Gellert,pear,null,North
Vranja,quince,3.1,South"
ok branch merge spring --into main --store g --json
expect_json 'j["outcome"]' already_up_to_date
ok verify g

# time travel
ok query trees $Q --snapshot "$head" --format csv
expect_out 'Boskoop,apple,4.5,North'
ok diff "$head" main --store g --json

# a true conflict: reported, nothing changed, on stderr
ok branch create left --from main --store g
ok mutate measure $Q --params '{"name": "Conference", "height": 3.5}' --branch left
ok mutate measure $Q --params '{"name": "Conference", "height": 3.9}'
ok commit list g --json
head=$(json 'j["commits"][0]["graph_commit_id"]')
refused 1 'Conference' branch merge left --into main --store g
expect_err 'divergent_update'
ok commit list g --json
expect_json 'j["commits"][0]["graph_commit_id"]' "$head"

# preconditions
refused 4 '' mutate measure $Q --params '{"name": "Conference", "height": 4}' --if-commit 01ARZ3NDEKTSV4RRFFQ69G5FAV
ok mutate measure $Q --params '{"name": "Conference", "height": 4}' --if-commit "$head"

# deleting a node takes its edges along
ok mutate fell $Q --params '{"name": "Conference"}' --json
expect_json '[j["affected_nodes"], j["affected_edges"]]' '[1, 3]'
ok branch delete left --store g
ok branch list --store g
expect_out_is "main
spring"
ok verify g

# an export loads into an equal graph
ok export g
printf '%s\n' "$out" >dump.jsonl
ok init --schema "$T/schema.pg" copy
ok load copy --data dump.jsonl --mode overwrite
run export copy
printf '%s\n' "$out" | cmp -s - dump.jsonl || failed "the export of a loaded export differs"

finish

#!/bin/bash
# orchard.sh - the story of the demo on ten rows, by the command: a graph with branches, forks of forks, merges by
# link, reference and copy, and a deleted branch.
# Usage: orchard.sh INARCH GRAPH
set -eu
inarch=$1 store=$2
cd "$(dirname "$0")/../.."
tiny=examples/tiny
quiet() { "$inarch" "$@" --store "$store" --durability relaxed -q >/dev/null; }
tree() { quiet mutate "$1" --query $tiny/queries.gq --params "$2" --branch "$3"; }

quiet init --schema $tiny/schema.pg
quiet load --data $tiny/data.jsonl --mode overwrite
for k in 1 2 3; do
    tree plant "{\"name\": \"Row $k\", \"variety\": \"apple\", \"orchard\": \"North\"}" main
done
quiet branch create spring --from main
tree measure '{"name": "Boskoop", "height": 4.9}' spring
tree plant '{"name": "Gellert", "variety": "pear", "orchard": "North"}' spring
quiet branch create late/spring --from spring
tree measure '{"name": "Gellert", "height": 0.7}' late/spring
tree fell '{"name": "Row 1"}' late/spring
tree measure '{"name": "Vranja", "height": 3.1}' main
quiet branch merge late/spring --into spring
quiet branch merge spring --into main --adopt=reference
tree measure '{"name": "Conference", "height": 3.5}' main
quiet branch merge main --into spring --adopt=copy
quiet branch create autumn --from main
tree plant '{"name": "Row 4", "variety": "quince", "orchard": "South"}' autumn
quiet branch merge autumn --into main
quiet branch delete autumn
"$inarch" verify --all --store "$store" -q >/dev/null

#!/bin/bash
# demo.sh - the story: ten rows first, then the Debian archive as a graph, branched, changed on both
# sides, merged by reference, opened by the real engine. Everything it makes is under build/demo/.
# It fails loudly: on a missing suite, on a count that is not what the lists say, on any problem that
# `inarch verify` finds.
set -euo pipefail
cd "$(dirname "$0")/.."
ROOT=$PWD
DEMO=$ROOT/build/demo
DEBIAN=$ROOT/examples/debian
TINY=$ROOT/examples/tiny
export LC_ALL=C.UTF-8
MIN_PACKAGES=63000 MIN_EDGES=300000

if [ -t 1 ]; then bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'; else bold='' dim='' plain=''; fi
title() { printf '\n%s== %s%s\n\n' "$bold" "$*" "$plain"; }
say() { printf '%s\n' "$*"; }
die() { printf '%s\n' "demo: $*" >&2; exit 1; }
trap 'rc=$?; [ $rc -eq 0 ] || printf "\ndemo: FAILED (exit %d) near line %d of tools/demo.sh\n" $rc $LINENO >&2' EXIT

# show ARGUMENT...: runs inarch as a reader would type it, the command line first.
show() {
    local word line='$ inarch'
    for word in "$@"; do
        word=${word#"$ROOT"/}
        case $word in *[!A-Za-z0-9_./=@:+,-]* | '') line+=" '$word'" ;; *) line+=" $word" ;; esac
    done
    printf '%s%s%s\n' "$dim" "$line" "$plain"
    inarch "$@" ${QUIET:+--quiet}
}
QUIET=yes # no echo lines and no progress bar, but for the one long load

# field EXPRESSION: a Python expression over `j`, the JSON on standard input.
field() {
    python3 -c 'import json, sys
j = json.load(sys.stdin)
v = eval(sys.argv[1])
print(v if isinstance(v, str) else json.dumps(v))' "$1"
}
head_of() { inarch commit list --store "$1" --branch "$2" --json | field 'j["commits"][0]["graph_commit_id"]'; }
# number QUERY-TEXT BRANCH-OR-COMMIT-FLAG VALUE: the one number a query returns.
number() { inarch query -e "$1" --store "$G" "$2" "$3" --format csv | tail -n 1; }

verified() { show verify --store "$G" --branch "$1"; }

# counts_of BRANCH: "what number" lines in the form count.sh prints.
counts_of() {
    { inarch snapshot --store "$G" --branch "$1" --json | python3 -c 'import json, sys
for d in json.load(sys.stdin)["datasets"]:
    print(d["type_name"], d["entity_count"])'
      inarch query kinds --query "$DEBIAN/queries.gq" --store "$G" --branch "$1" --format csv | sed '1d; s/,/ /'
    } | LC_ALL=C sort
}
# same_counts BRANCH LIST...: the graph holds what the lists say.
same_counts() {
    local branch=$1
    shift
    "$DEBIAN/count.sh" "$@" >"$DEMO/counts.lists"
    counts_of "$branch" >"$DEMO/counts.graph"
    diff "$DEMO/counts.lists" "$DEMO/counts.graph" >&2 || die "branch $branch does not hold what the lists say (<)"
    say "All $(wc -l <"$DEMO/counts.lists") counts on $branch equal those that awk takes from the lists."
}

# ---- build -------------------------------------------------------------------------------------

title "Build"
tools/deps.sh demo
tools/build.sh release
PATH=$ROOT/$(dirname "$(find build/release -name inarch -type f -perm -u+x -print -quit)"):$PATH
command -v inarch >/dev/null || die "no inarch program under build/release"
inarch version
rm -rf "$DEMO"
mkdir -p "$DEMO"
start=$SECONDS

# ---- 1. ten rows -------------------------------------------------------------------------------

title "1. Ten rows"
G=$DEMO/tiny.graph
show init --schema "$TINY/schema.pg" --store "$G"
show load --store "$G" --data "$TINY/data.jsonl" --mode overwrite -m "The orchard as planted"
planted=$(head_of "$G" main)
show query trees --query "$TINY/queries.gq" --store "$G"
say
say "A branch is one small file. Both sides change, each its own trees:"
show branch create spring --from main --store "$G"
show mutate measure --query "$TINY/queries.gq" --params '{"name": "Boskoop", "height": 4.9}' --branch spring --store "$G"
show mutate plant --query "$TINY/queries.gq" --branch spring --store "$G" \
    --params '{"name": "Gellert", "variety": "pear", "orchard": "North"}'
show mutate measure --query "$TINY/queries.gq" --params '{"name": "Vranja", "height": 3.1}' --store "$G"
show branch merge spring --into main --store "$G"
show query trees --query "$TINY/queries.gq" --store "$G"
verified main
say
say "The orchard as it was planted is still there:"
show query trees --query "$TINY/queries.gq" --snapshot "$planted" --store "$G"
say
say "Two branches that measure one tree differently do not merge, and nothing is lost:"
show branch create left --from main --store "$G"
show mutate measure --query "$TINY/queries.gq" --params '{"name": "Conference", "height": 3.5}' --branch left --store "$G"
show mutate measure --query "$TINY/queries.gq" --params '{"name": "Conference", "height": 3.9}' --store "$G"
if show branch merge left --into main --store "$G"; then die "a true conflict was merged"; fi
verified main

# ---- 2. the archive ----------------------------------------------------------------------------

title "2. The Debian archive"
have_lists() { for s in bookworm bookworm-security bookworm-updates; do "$DEBIAN/lists.sh" $s >/dev/null || return 1; done; }
if ! have_lists 2>/dev/null; then
    say "Some package list is missing: refreshing apt's lists."
    sudo=; [ "$(id -u)" -eq 0 ] || sudo=sudo
    $sudo apt-get -qq update >"$DEMO/apt.log" 2>&1 || die "apt-get update failed"
fi
BASE=$("$DEBIAN/lists.sh" bookworm)
SECURITY=$("$DEBIAN/lists.sh" bookworm-security)
UPDATES=$("$DEBIAN/lists.sh" bookworm-updates)

G=$DEMO/debian.graph
"$DEBIAN/convert.py" "$BASE" --out "$DEMO/bookworm.jsonl" 2>"$DEMO/convert.log"
say "$(wc -l <"$DEMO/bookworm.jsonl") lines, $(($(stat -c %s "$DEMO/bookworm.jsonl") / 1000000)) MB, converted from the machine's own list."
show init --schema "$DEBIAN/schema.pg" --store "$G"
load_start=$(date +%s.%N)
QUIET='' show load --store "$G" --data "$DEMO/bookworm.jsonl" --mode overwrite -m "bookworm"
python3 -c 'import sys; print("loaded in %.1f s" % (float(sys.argv[2]) - float(sys.argv[1])))' "$load_start" "$(date +%s.%N)"
same_counts main "$BASE"
packages=$(awk '$1 == "real" { print $2 }' "$DEMO/counts.graph")
edges=$(awk '$1 ~ /^(DependsOn|PreDependsOn|Recommends|Suggests|Breaks|Conflicts|Replaces|Provides|MaintainedBy|InSection|BuiltFrom)$/ { n += $2 } END { print n }' "$DEMO/counts.graph")
[ "$packages" -ge $MIN_PACKAGES ] || die "only $packages packages, expected at least $MIN_PACKAGES"
[ "$edges" -ge $MIN_EDGES ] || die "only $edges edges, expected at least $MIN_EDGES"
say "$packages packages, $edges edges."
show query kinds --query "$DEBIAN/queries.gq" --store "$G"
verified main
fork=$(head_of "$G" main)

# ---- 3. a branch, changes on both sides, a merge by reference ----------------------------------

title "3. Branch security, changes on both sides, merge"
show branch create security --from main --store "$G"
"$DEBIAN/convert.py" "$SECURITY" --base "$BASE" --out "$DEMO/security.jsonl" --stale "$DEMO/security-stale.gq" 2>"$DEMO/convert.log"
head -n 1 "$DEMO/convert.log"
show load --store "$G" --data "$DEMO/security.jsonl" --mode merge --branch security -m "bookworm-security"
verified security
if grep -q '^query' "$DEMO/security-stale.gq"; then
    say "$(grep -c delete "$DEMO/security-stale.gq") statements delete the edges that the newer stanzas no longer have, for example"
    grep -m 2 delete "$DEMO/security-stale.gq"
    show mutate drop_stale --query "$DEMO/security-stale.gq" --branch security --store "$G" -m "What newer stanzas no longer say"
fi
same_counts security "$BASE" "$SECURITY"
verified security

say
say "Meanwhile on main, other rows: two packages move to another section, a maintainer is renamed, tags are added."
# Packages of the section games that neither other suite lists.
for list in "$SECURITY" "$UPDATES"; do /usr/lib/apt/apt-helper cat-file "$list"; done | awk '/^Package: /{print $2}' | sort -u >"$DEMO/elsewhere"
/usr/lib/apt/apt-helper cat-file "$BASE" | awk '/^Package: /{p=$2} /^Section: games$/{print p}' |
    sort -u | comm -23 - "$DEMO/elsewhere" | sed -n 1,3p >"$DEMO/games"
mapfile -t games <"$DEMO/games"
[ ${#games[@]} -eq 3 ] || die "no three games outside the other suites"
for p in "${games[@]:0:2}"; do
    printf '{"edge":"InSection","from":"%s","to":"education","data":{"id":"%s"}}\n' "$p" "$p"
done >"$DEMO/moves.jsonl"
show load --store "$G" --data "$DEMO/moves.jsonl" --mode merge -m "Two games teach something"
team=$(/usr/lib/apt/apt-helper cat-file "$BASE" | sed -n 's/^Maintainer: [^<]*<\([^>]*\)>.*/\1/p' | tr '[:upper:]' '[:lower:]' |
    sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
show mutate rename_maintainer --query "$DEBIAN/queries.gq" --store "$G" -m "The busiest team gets a new name" \
    --params "{\"email\": \"$team\", \"name\": \"The Busiest Team\"}"
show mutate tag_package --query "$DEBIAN/queries.gq" --store "$G" -m "Tags" \
    --params "{\"name\": \"${games[2]}\", \"tags\": [\"role::program\", \"interface::graphical\"]}"
show query section_of --query "$DEBIAN/queries.gq" --params "{\"name\": \"${games[0]}\"}" --store "$G"
verified main
before=$(head_of "$G" main)

say
say "The merge moves metadata, not rows:"
show branch merge security --into main --explain --store "$G" -m "Take the security suite" | tee "$DEMO/merge.txt"
grep -q 'payload bytes read 0, written 0;' "$DEMO/merge.txt" || die "the merge moved payload bytes"
after=$(head_of "$G" main)
[ "$before" != "$after" ] || die "the merge made no commit on main"
same_counts main "$BASE" "$SECURITY"
verified main
say
say "The branch's changes and main's own are both there:"
for p in "${games[0]}" "${games[2]}"; do
    show query section_of --query "$DEBIAN/queries.gq" --params "{\"name\": \"$p\"}" --store "$G"
done
show query maintainer --query "$DEBIAN/queries.gq" --params "{\"email\": \"$team\"}" --store "$G"

# ---- 4. a true conflict ------------------------------------------------------------------------

title "4. A third branch from the old fork point, and a true conflict"
show branch create updates --from "$fork" --store "$G"
"$DEBIAN/convert.py" "$UPDATES" --base "$BASE" --out "$DEMO/updates.jsonl" --stale "$DEMO/updates-stale.gq" 2>"$DEMO/convert.log"
head -n 1 "$DEMO/convert.log"
show load --store "$G" --data "$DEMO/updates.jsonl" --mode merge --branch updates -m "bookworm-updates"
if grep -q '^query' "$DEMO/updates-stale.gq"; then
    show mutate drop_stale --query "$DEMO/updates-stale.gq" --branch updates --store "$G"
fi
same_counts updates "$BASE" "$UPDATES"
verified updates
say
say "Names that the security suite has changed as well were changed differently:"
if show branch merge updates --into main --store "$G" 2>"$DEMO/conflicts.txt"; then
    die "names that both suites changed were merged silently"
fi
head -n 12 "$DEMO/conflicts.txt"
say "... ($(wc -l <"$DEMO/conflicts.txt") lines in build/demo/conflicts.txt)"
[ "$(head_of "$G" main)" = "$after" ] || die "a refused merge changed main"
same_counts main "$BASE" "$SECURITY"
verified main

# ---- 5. queries --------------------------------------------------------------------------------

title "5. Questions"
say "Everything that depends on libssl3, hop by hop:"
last=-1
for depth in $(seq 1 20); do
    n=$(number "query q() { match { \$t: Package { name: \"libssl3\" } \$p: Package \$p dependsOn{1,$depth} \$t } return { count(\$p) as n } }" --branch main)
    printf '  up to %2d hops: %6d packages\n' "$depth" "$n"
    if [ "$n" -eq "$last" ]; then
        say "A bound deeper than $((depth - 1)) adds nothing."
        break
    fi
    last=$n
done
show query needed_by --query "$DEBIAN/queries.gq" --params '{"name": "libssl3"}' --store "$G"
[ "$n" -gt 1000 ] || die "only $n packages need libssl3"
say
say "The packages of $team with the most dependants:"
show query maintainer_top --query "$DEBIAN/queries.gq" --params "{\"email\": \"$team\"}" --store "$G"
say
say "What the merge changed on main, for example around openssl:"
show diff "$before" "$after" --store "$G" >"$DEMO/diff.txt"
grep -m 12 -E ' (openssl|libssl3)(>.*)?$' "$DEMO/diff.txt"
tail -n 1 "$DEMO/diff.txt"
say "(all of it is in build/demo/diff.txt)"
say
say "The same query before and after the merge:"
show query package --query "$DEBIAN/queries.gq" --params '{"name": "openssl"}' --snapshot "$before" --store "$G"
show query package --query "$DEBIAN/queries.gq" --params '{"name": "openssl"}' --snapshot "$after" --store "$G"
show commit list --store "$G"

# ---- 6. the real engine ------------------------------------------------------------------------

title "6. The same directories in the real engine"
python=
for candidate in .venv/bin/python python3; do
    if "$candidate" -c 'import lance' 2>/dev/null; then python=$candidate; break; fi
done
show branch list --tables --store "$G" >"$DEMO/tables.txt"
head -n 6 "$DEMO/tables.txt"
say "..."
if [ -n "$python" ]; then
    "$python" "$DEBIAN/open_tables.py" "$G"
    "$python" "$DEBIAN/open_tables.py" "$DEMO/tiny.graph"
else
    say "Skipped: no Python here can import lance (tools/venv.sh makes one)."
fi

title "Done in $((SECONDS - start)) seconds after the build"

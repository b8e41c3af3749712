#!/bin/sh
# count.sh - counts names and relations straight from package lists, sharing nothing with convert.py.
# Usage: count.sh LIST [LATER-LIST ...]   in the order in which the graph loaded them
# Prints "what number" lines: every name that ever occurred, its kind now, and the relations of the
# stanzas that count: the last list's where it has the name, the newest where a list has it twice.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Lists reversed, newest load first; a line tells where each begins.
n=0
: >"$work/losers"
for list in "$@"; do
    n=$((n + 1))
    /usr/lib/apt/apt-helper cat-file "$list" >"$work/$n"
    # Of a name listed twice, dpkg says which stanzas lose.
    awk '/^Package: /{p=$2} /^Version: /{print p, $2}' "$work/$n" | sort -u >"$work/versions"
    cut -d' ' -f1 "$work/versions" | uniq -d | while read -r name; do
        best=
        for v in $(awk -v p="$name" '$1 == p {print $2}' "$work/versions"); do
            if [ -z "$best" ]; then best=$v
            elif dpkg --compare-versions "$v" gt "$best"; then echo "$n $name $best"; best=$v
            else echo "$n $name $v"
            fi
        done
    done >>"$work/losers"
done
files=
while [ "$n" -gt 0 ]; do files="$files $work/$n"; n=$((n - 1)); done

# shellcheck disable=SC2086 # temporary names without spaces
awk '
BEGIN {
    split("Depends DependsOn Pre-Depends PreDependsOn Recommends Recommends Suggests Suggests Breaks Breaks " \
          "Conflicts Conflicts Replaces Replaces Provides Provides", t, " ")
    for (i = 1; i < 16; i += 2) type[t[i] ":"] = t[i + 1]
}
FILENAME ~ /losers$/ { loses[$0] = 1; next }
FNR == 1 { flush(); list = FILENAME; sub(/.*\//, "", list) }
/^$/ { flush(); next }
/^[ \t]/ { line[lines] = line[lines] $0; next }
{ line[++lines] = $0 }
/^Package: / { package = $2 }
/^Version: / { version = $2 }
END {
    flush()
    for (p in names) kind[(p in real) ? "real" : (p in provided) ? "virtual" : "missing"]++
    for (k in kind) { print k, kind[k]; all += kind[k] }
    print "Package", all
    for (what in distinct) print what, distinct[what]
    for (f in type) print type[f], edges[f] + 0
    print "MaintainedBy", kind["real"]; print "InSection", kind["real"]; print "BuiltFrom", kind["real"]
}
function once(what, value) { if (!((what, value) in seen)) { seen[what, value]; distinct[what]++ } }
function flush(    i, f, value, k, part, counts, src) {
    if (!lines) return
    if ((list " " package " " version) in loses) { lines = 0; return }
    counts = !(package in real)
    real[package]; names[package]; src = package
    for (i = 1; i <= lines; i++) {
        f = line[i]; sub(/ .*/, "", f); value = substr(line[i], length(f) + 2)
        if (f == "Source:") { src = value; sub(/ .*/, "", src) }
        if (f == "Section:") once("Section", value)
        if (f == "Maintainer:") { sub(/^[^<]*</, "", value); sub(/>.*/, "", value); once("Maintainer", tolower(value)) }
        if (!(f in type)) continue
        k = split(value, part, /[,|]/)
        if (counts) edges[f] += k
        for (; k; k--) {
            sub(/^[ \t]+/, "", part[k]); sub(/[ \t(:].*/, "", part[k])
            names[part[k]]
            if (counts && f == "Provides:") provided[part[k]]
        }
    }
    once("Source", src); lines = 0
}' "$work/losers" $files | LC_ALL=C sort

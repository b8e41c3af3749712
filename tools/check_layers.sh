#!/bin/sh
# check_layers.sh - fails when a file under src/ includes a folder that src/LAYERS does not allow it.
cd "$(dirname "$0")/../src" || exit 2
find . -name '*.[ch]' ! -path './gen/*' | sed 's|^\./||' | sort | xargs awk '
function owner(p) { while (!(p in allow)) if (!sub("/[^/]*$", "", p)) return ""; return p }
function fail(msg) { printf "%s:%d: %s\n", FILENAME, FNR, msg; bad = 1 }
FILENAME == "LAYERS" { sub(/#.*/, ""); if (split($0, f, ":") == 2) {
                           gsub(/ /, "", f[1]); allow[f[1]] = " " f[1] f[2] " " } next }
FNR == 1 { me = owner(FILENAME); if (me == "") fail("folder is missing from LAYERS") }
/^[ \t]*#[ \t]*include[ \t]*["<]/ {
    split($0, q, /["<>]/); path = q[2]; dir = path; sub("/[^/]*$", "", dir)
    if (path ~ /\.pb-c\.h$/) { if (FILENAME !~ /_pb\.c$/) fail(path " only in *_pb.c"); next }
    to = owner(path)
    if (to == "") { if ($0 ~ /</) next; to = dir }       # a system header, or a path not spelled from src/
    if (!index(allow[me], " " to " ")) fail(me " may not include " path)
    else if (path ~ /_priv\.h$/ && to != me) fail(path " is private to " to)
}
END { exit bad }' LAYERS

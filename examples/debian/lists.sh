#!/bin/sh
# lists.sh - prints the path of this machine's package list of a suite (component main).
# Usage: lists.sh SUITE [DIR]      Exit 1, naming the suite, when apt has none.
set -eu
suite=$1
dir=${2:-/var/lib/apt/lists}
arch=$(dpkg --print-architecture)
for list in "$dir"/*_dists_"$suite"_main_binary-"$arch"_Packages*; do
    [ -e "$list" ] || continue
    echo "$list"
    exit 0
done
echo "no list of suite $suite for $arch in $dir: is the suite among apt's sources?" >&2
exit 1

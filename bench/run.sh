#!/bin/bash
# run.sh - the benchmarks against the real engine in the same run. Usage: bench/run.sh [NAME ...] [--quick]
# Needs .venv (tools/venv.sh). Data lies under build/bench (about 8 GB) and is removed at the end.
cd "$(dirname "$0")/.." || exit 2
python=$(tools/venv.sh) || { echo "bench: the real engine cannot be installed here" >&2; exit 1; }
export INARCH_LIBRARY=$PWD/build/release/src/libinarch.so
exec "$python" bench/bench.py "$@"

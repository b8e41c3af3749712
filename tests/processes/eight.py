#!/usr/bin/env python3
"""Eight processes on one branch: each inserts its own rows and raises shared counters by read, then set with
if_commit, then retry. Nothing may be lost, nothing doubled.

    eight.py [--processes 8] [--rows 20] [--raises 10]
"""
import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from multiprocessing import Process

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "python"))
import inarch  # noqa: E402

PG = """
node Counter { name: String @key  value: I64 }
node Row { key: String @key  writer: I32 }
edge Of: Row -> Counter
"""
COUNTERS = ["red", "green", "blue"]
RAISE = "query raise($name: String, $value: I64) { update Counter set { value: $value } where name = $name }"
INSERT = "query add($key: String, $writer: I32, $c: String) { insert Row { key: $key writer: $writer } " \
         "insert Of { from: $key to: $c } }"
READ = "query read($name: String) { match { $c: Counter { name: $name } } return { $c.value as value } }"


def raise_counter(g, r):
    """One successful increment; returns the number of lost races."""
    lost = 0
    while True:
        name = r.choice(COUNTERS)
        seen = g.query(READ, params={"name": name})
        value = seen["rows"][0]["value"] + 1
        try:
            g.mutate(RAISE, params={"name": name, "value": value}, if_commit=seen["graph_commit_id"])
            return lost
        except inarch.Error as e:
            if e.code not in ("precondition", "conflict"):
                raise
            lost += 1
            time.sleep(r.random() * 0.002 * min(lost, 20))


def worker(path, me, rows, raises):
    r = random.Random(me)
    with inarch.open(path, durability="relaxed") as g:
        todo = [("row", k) for k in range(rows)] + [("raise", k) for k in range(raises)]
        r.shuffle(todo)
        lost = 0
        for what, k in todo:
            if what == "raise":
                lost += raise_counter(g, r)
            else:
                g.mutate(INSERT, params={"key": f"{me}-{k}", "writer": me, "c": r.choice(COUNTERS)})
    print(f"  process {me}: {rows} rows, {raises} raises, {lost} lost races", flush=True)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--processes", type=int, default=8)
    ap.add_argument("--rows", type=int, default=20)
    ap.add_argument("--raises", type=int, default=10)
    a = ap.parse_args()
    where = tempfile.mkdtemp(prefix="inarch-eight-")
    path = os.path.join(where, "eight.graph")
    inarch.create(path, PG, durability="relaxed")
    with inarch.open(path, durability="relaxed") as g:
        lines = "".join(f'{{"type":"Counter","data":{{"name":"{c}","value":0}}}}\n' for c in COUNTERS)
        g.load(lines.encode(), "append")
    started = time.time()
    ps = [Process(target=worker, args=(path, k, a.rows, a.raises)) for k in range(a.processes)]
    for p in ps:
        p.start()
    for p in ps:
        p.join()
    bad = [p.exitcode for p in ps if p.exitcode]
    with inarch.open(path) as g:
        total = sum(r["value"] for r in g.query("query q() { match { $c: Counter } return { $c.value as value } }")["rows"])
        keys = [r["k"] for r in g.query("query q() { match { $r: Row } return { $r.key as k } }")["rows"]]
        edges = g.query("query q() { match { $r: Row  $r $w: of $c } return { count($r) as n } }")["rows"][0]["n"]
        commits = len(g.commits())
        problems = g.verify()
    want = sorted(f"{k}-{i}" for k in range(a.processes) for i in range(a.rows))
    checks = {"every process ended well": not bad, "no raise is lost or doubled": total == a.processes * a.raises,
              "no row is lost or doubled": sorted(keys) == want, "one edge a row": edges == len(want),
              "one commit a write": commits == 2 + a.processes * (a.rows + a.raises), "verify": not problems}
    for text, ok in checks.items():
        print(f"{'ok  ' if ok else 'FAIL'} {text}")
    if problems:
        print(problems[:5])
    print(f"{commits} commits in {time.time() - started:.1f} s")
    failed = sum(not ok for ok in checks.values())
    if not failed:
        shutil.rmtree(where)
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

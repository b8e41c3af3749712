#!/usr/bin/env python3
"""Benchmarks against the real engine: the same data, the same machine, alternating runs, medians and spread.

    bench.py [load append scan delete merge scale file] [--quick]
"""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

import lance
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "python"))
import inarch  # noqa: E402

WORK = os.path.join(HERE, "..", "build", "bench")
RUNS = 11
MISSED = []


def fresh(name):
    path = os.path.abspath(os.path.join(WORK, name))
    shutil.rmtree(path, ignore_errors=True)
    return path


def timed(fn):
    t = time.perf_counter()
    fn()
    return time.perf_counter() - t


def alternate(ours, theirs, runs=None, warmup=1):
    """Times of both, taken in turn; each callable gets the run's number."""
    a, b = [], []
    for k in range((runs or RUNS) + warmup):
        x, y = timed(lambda: ours(k)), timed(lambda: theirs(k))
        if k >= warmup:
            a.append(x)
            b.append(y)
    return a, b


def show(name, a, b=None, unit="ms", scale=1e3, expect=None):
    """One line: medians, spread, ratio of medians (ours / theirs)."""
    def text(v):
        return f"{statistics.median(v) * scale:9.3f} {unit} [{min(v) * scale:.3f} .. {max(v) * scale:.3f}]"

    line = f"{name:44} ours {text(a)}"
    if b:
        ratio = statistics.median(a) / statistics.median(b)
        pairs = sorted(x / y for x, y in zip(a, b))
        line += f"  engine {text(b)}  ours/engine {ratio:.2f} [{pairs[0]:.2f} .. {pairs[-1]:.2f}]"
        if expect is not None:
            judge(name, ratio, expect)
            line += f"  expected <= {expect:.2f}: {'met' if ratio <= expect else 'MISSED'}"
    print(line, flush=True)


def judge(name, value, limit):
    if value > limit:
        MISSED.append(f"{name}: {value:.2f} > {limit:.2f}")
    return value <= limit


# ---- load ------------------------------------------------------------------------------------------------

PEOPLE = "node Person { name: String @key  age: I32  city: String  score: F64  @range(age, 0..200) }"


def people_lines(n):
    r = np.random.default_rng(1)
    ages, scores = r.integers(0, 100, n), r.random(n)
    return "".join(f'{{"type":"Person","data":{{"name":"person {i}","age":{ages[i]},"city":"city {i % 500}",'
                   f'"score":{scores[i]:.6f}}}}}\n' for i in range(n)).encode()


def bench_load():
    n = 200_000
    data = people_lines(n)
    plain = fresh("people.jsonl")
    with open(plain, "wb") as f:
        for line in data.splitlines():
            f.write(json.dumps(json.loads(line)["data"]).encode() + b"\n")

    def ours(k):
        path = fresh("load.graph")
        inarch.create(path, PEOPLE, durability="relaxed")
        with inarch.open(path, durability="relaxed") as g:
            assert g.load(data, "append")["total"] == n

    def theirs(k):
        lance.write_dataset(pyarrow.json.read_json(plain), fresh("load.lance"), enable_stable_row_ids=True)

    a, b = alternate(ours, theirs)
    show(f"load {n} JSON rows (checked / unchecked)", a, b)
    print(f"{'':44} ours {n / statistics.median(a):,.0f} rows/s, engine {n / statistics.median(b):,.0f} rows/s "
          "(its JSON reader is pyarrow's, on several threads, and checks no constraint)")


# ---- append, delete ----------------------------------------------------------------------------------------


def one_row(k):
    return pa.table({"id": [f"row {k}"], "a": pa.array([k], pa.int32()), "b": [float(k)]})


def bench_append():
    per = 20
    ours_path, theirs_path = fresh("append-ours.lance"), fresh("append-theirs.lance")
    schema = one_row(0).schema
    t = inarch.create_table(ours_path, schema, durability="relaxed")
    lance.write_dataset(one_row(0), theirs_path, enable_stable_row_ids=True)
    state = {"ds": lance.dataset(theirs_path)}

    def ours(k):
        for i in range(per):
            t.append(one_row(i))

    def theirs(k):
        for i in range(per):
            state["ds"].insert(one_row(i))

    a, b = alternate(ours, theirs)
    show("one-row table append, in process, relaxed", [x / per for x in a], [x / per for x in b], expect=0.5)
    graph = fresh("append.graph")
    inarch.create(graph, PEOPLE, durability="relaxed")
    q = 'query q($n: String) { insert Person { name: $n age: 1 city: "x" score: 0.5 } }'
    with inarch.open(graph, durability="relaxed") as g:
        times = [timed(lambda: [g.mutate(q, params={"n": f"p{k}-{i}"}) for i in range(per)]) / per for k in range(RUNS)]
    show("one-row graph insert beside it, relaxed", times)
    inarch.create(fresh("append-full.graph"), PEOPLE)
    with inarch.open(os.path.join(WORK, "append-full.graph")) as g:
        times = [timed(lambda: [g.mutate(q, params={"n": f"p{k}-{i}"}) for i in range(per)]) / per for k in range(RUNS)]
    show("one-row graph insert, full durability", times)


def wide_table(n, dim):
    r = np.random.default_rng(2)
    vec = pa.FixedSizeListArray.from_arrays(pa.array(r.random(n * dim, dtype=np.float32)), dim)
    return pa.table({"id": [f"id {i}" for i in range(n)], "a": pa.array(r.integers(0, 1 << 30, n), pa.int64()),
                     "b": pa.array(r.random(n)), "v": vec})


def big_dataset(n):
    path = os.path.abspath(os.path.join(WORK, f"scan-{n}.lance"))
    if not os.path.exists(path):
        table = wide_table(n, 128)
        t = inarch.create_table(path, table.schema, durability="relaxed")
        t.append(table)
        t.close()
    return path


def bench_scan():
    n = 1_000_000
    path = big_dataset(n)

    def drain(reader):
        """Reads every value of every column once."""
        n = 0
        for b in reader:
            n += b.num_rows
            pc.sum(b.column("v").flatten())
            pc.sum(b.column("a")), pc.sum(b.column("b"))
            pc.sum(pc.binary_length(b.column("id")))
        return n

    def ours(k):
        t = inarch.open_table(path)
        assert drain(pa.RecordBatchReader.from_stream(t.scan())) == n

    def theirs(k):
        assert drain(lance.dataset(path).scanner().to_reader()) == n

    a, b = alternate(ours, theirs)
    show(f"scan {n} rows (id, 2 scalars, 128-d vector)", a, b, expect=1.0)
    print(f"{'':44} {n * (128 * 4 + 26) / statistics.median(a) / 1e9:.2f} GB/s")


def bench_delete():
    n = 1_000_000
    path = big_dataset(n)
    a_path, b_path = fresh("delete-ours.lance"), fresh("delete-theirs.lance")
    for p in (a_path, b_path):
        shutil.copytree(path, p)
    t, ds = inarch.open_table(a_path, durability="relaxed"), lance.dataset(b_path)

    def ours(k):
        assert t.delete(f"id = 'id {k * 1000}'") == 1

    def theirs(k):
        ds.delete(f"id = 'id {k * 1000}'")

    a, b = alternate(ours, theirs)
    show(f"delete one row by key out of {n}", a, b)


# ---- merge ---------------------------------------------------------------------------------------------------

DOCS = "node Doc {{ key: String @key  n: I64  v: Vector({dim}) }}"


def doc_rows(lo, hi, dim, seed):
    r = np.random.default_rng(seed)
    vec = pa.FixedSizeListArray.from_arrays(pa.array(r.random((hi - lo) * dim, dtype=np.float32)), dim)
    return pa.table({"key": [f"d{i:09d}" for i in range(lo, hi)], "n": pa.array(np.full(hi - lo, seed), pa.int64()),
                     "v": vec})


def load_docs(g, lo, hi, dim, seed, mode, branch, step):
    for at in range(lo, hi, step):
        g.load_rows("node", "Doc", doc_rows(at, min(at + step, hi), dim, seed), mode, branch=branch)


def build_graph(name, dim, rows, source, target, step):
    """main of `rows`; branch `side` changes source = (lo, hi); main changes target = (lo, hi)."""
    path = fresh(name)
    inarch.create(path, DOCS.format(dim=dim), durability="relaxed")
    with inarch.open(path, durability="relaxed", memory=4 << 30) as g:
        load_docs(g, 0, rows, dim, 1, "append", "main", step)
        g.branch_create("side")
        load_docs(g, *source, dim, 2, "merge", "side", step)
        if target:
            load_docs(g, *target, dim, 3, "merge", "main", step)
    return path


def merge_once(path, trace=None):
    """Merges side into main of a hard-linked copy in a process of its own."""
    copy = path + ".run"
    shutil.rmtree(copy, ignore_errors=True)
    subprocess.run(["cp", "-al", path, copy], check=True)
    cmd = [sys.executable, os.path.join(HERE, "merge_once.py"), copy]
    if trace:
        cmd = ["strace", "-f", "-y", "-o", trace, "-e", "trace=read,pread64,preadv,write,pwrite64,writev,copy_file_range,sendfile"] + cmd
    out = json.loads(subprocess.run(cmd, check=True, stdout=subprocess.PIPE).stdout)
    shutil.rmtree(copy)
    return out


def traced_bytes(trace, root):
    """Bytes read from and written to files below root, by system call."""
    total = {"read": 0, "write": 0, "data_read": 0, "data_write": 0}
    pattern = re.compile(r"(pread64|preadv|read|pwrite64|writev|write|copy_file_range|sendfile)\(\d+<([^>]*)>.* = (\d+)$")
    with open(trace) as f:
        for line in f:
            m = pattern.search(line)
            if m and m[2].startswith(root):
                way = "read" if "read" in m[1] else "write"
                total[way] += int(m[3])
                if "/data/" in m[2]:
                    total["data_" + way] += int(m[3])
    return total


def bench_merge():
    quick = "--quick" in sys.argv
    rows, changed, other, dim = (20_000, 10_000, 2_000, 3072) if quick else (200_000, 100_000, 20_000, 3072)
    path = build_graph("merge.graph", dim, rows, (0, changed), (rows - other, rows), 10_000)
    results = [merge_once(path) for _ in range(RUNS)]
    show(f"merge {changed} of {rows} rows x {dim}, main + {other}", [r["seconds"] for r in results])
    r = results[0]
    payload = max(x["payload_read"] + x["payload_written"] for x in results)
    peak = max(x["peak"] for x in results) / (1 << 20)
    print(f"{'':44} payload bytes read and written {payload} (expected 0: {'met' if payload == 0 else 'MISSED'}); "
          f"key bytes {r['key_read']}, metadata {r['meta_read']} read and {r['meta_written']} written")
    print(f"{'':44} peak memory above idle {peak:.1f} MiB (expected < 64: {'met' if peak < 64 else 'MISSED'}); "
          f"route {r['route']}")
    judge("merge: payload bytes", payload, 0)
    judge("merge: peak MiB above idle", peak, 64)
    if shutil.which("strace"):
        trace = os.path.join(WORK, "merge.trace")
        t = merge_once(path, trace)
        sys_bytes = traced_bytes(trace, path + ".run")
        counted = t["meta_read"] + t["key_read"] + t["payload_read"]
        print(f"{'':44} system calls: {sys_bytes['read']} bytes read ({sys_bytes['data_read']} of data files), "
              f"{sys_bytes['data_write']} of data files written; counted by the store in the whole process: {t['all_read']} read, "
              f"{counted} of them by the merge")
        print(f"{'':44} trace and counters {'agree' if sys_bytes['read'] == t['all_read'] and sys_bytes['data_write'] == 0 else 'DISAGREE'}")
        judge("merge: bytes by trace minus bytes counted", abs(sys_bytes["read"] - t["all_read"]) + sys_bytes["data_write"], 0)
    shutil.rmtree(path)


def bench_scale():
    small, large = (100_000, 1_000_000) if "--quick" in sys.argv else (100_000, 10_000_000)
    paths = [build_graph(f"scale-{n}.graph", 16, n, (n // 2, n // 2 + 1000), (n // 4, n // 4 + 1000), 500_000) for n in (small, large)]
    a, b = [], []
    for k in range(RUNS + 1):
        x, y = merge_once(paths[1]), merge_once(paths[0])
        if k:
            a.append(x["seconds"])
            b.append(y["seconds"])
    ratio = statistics.median(a) / statistics.median(b)
    show(f"merge 1,000 rows into {large:,} x 16", a)
    show(f"merge 1,000 rows into {small:,} x 16", b)
    print(f"{'':44} ratio of times {ratio:.2f}, expected <= 1.30: {'met' if ratio <= 1.3 else 'MISSED'}")
    judge("merge: large / small", ratio, 1.3)
    for p in paths:
        shutil.rmtree(p)


# ---- single data files -------------------------------------------------------------------------------------


def bench_file():
    """One process per number of threads: pinned to that many CPUs, the engine's pools as large."""
    quick = ["--quick"] if "--quick" in sys.argv else []
    cpus = sorted(os.sched_getaffinity(0))
    for threads in (1, 2):
        env = dict(os.environ, LANCE_CPU_THREADS=str(threads), LANCE_IO_THREADS=str(threads))
        run = subprocess.Popen([sys.executable, os.path.join(HERE, "bench_file.py"), str(threads), *quick], env=env,
                               stdout=subprocess.PIPE, text=True,
                               preexec_fn=lambda: os.sched_setaffinity(0, cpus[:threads]))
        for line in run.stdout:
            print(line, end="", flush=True)
            if line.startswith("MISSED "):
                MISSED.append(line[7:].strip())
        if run.wait() != 0:
            MISSED.append(f"file, {threads} thread(s): did not finish")


def main():
    benches = {"load": bench_load, "append": bench_append, "scan": bench_scan, "delete": bench_delete,
               "merge": bench_merge, "scale": bench_scale, "file": bench_file}
    wanted = [a for a in sys.argv[1:] if not a.startswith("--")] or list(benches)
    os.makedirs(WORK, exist_ok=True)
    print(f"inarch {inarch.version()}, pylance {lance.__version__}, pyarrow {pa.__version__}; medians of {RUNS} runs, "
          "spread in brackets", flush=True)
    for name in wanted:
        benches[name]()
    shutil.rmtree(WORK, ignore_errors=True)
    print("every expectation was met" if not MISSED else "missed: " + "; ".join(MISSED))


if __name__ == "__main__":
    main()

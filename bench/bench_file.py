#!/usr/bin/env python3
"""Single data files against the real engine: scan, random take, write, size; one process per number of threads.

    bench_file.py THREADS [--quick] [DATA ...]     (started by bench.py, which pins and sets the engine's threads)
"""
import os
import random
import statistics
import sys

import numpy as np
import pyarrow as pa

ROWS = 10_000
RUNS = 9
BATCHES = (8192, 65536)
SCAN, TAKE, WRITE, SIZE = 1 / 1.5, 1 / 2, 1.0, 1.05


# ---- data ------------------------------------------------------------------------------------------------


def words(r, n):
    return np.array(["".join(chr(97 + int(c)) for c in r.integers(0, 26, int(k))) for k in r.integers(3, 10, n)],
                    dtype=object)


def vectors(r, n, dim):
    return pa.FixedSizeListArray.from_arrays(pa.array(r.random(n * dim, dtype=np.float32)), dim)


def lists(r, n):
    ends = np.concatenate([[0], np.cumsum(r.integers(0, 10, n))]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(ends), pa.array(r.integers(0, 10**6, ends[-1]).astype(np.int32)))


def structs(r, n):
    return pa.StructArray.from_arrays([pa.array(r.integers(0, 10**6, n)), pa.array(r.random(n)),
                                       pa.array([f"n{i % 5000}" for i in range(n)])], ["a", "b", "c"],
                                      mask=pa.array(r.random(n) < 0.1))


def data(scale):
    """Name and a function that makes the column."""
    r = np.random.default_rng(7)
    n, m, w = int(4_000_000 * scale), int(1_000_000 * scale), words(r, 2000)
    return {
        "int64 sorted": lambda: pa.array(np.cumsum(r.integers(0, 20, n))),
        "int64 random": lambda: pa.array(r.integers(-2**63, 2**63 - 1, n)),
        "int64 low cardinality": lambda: pa.array(r.integers(0, 100, n) * 1_000_003),
        "float32 vectors of 128": lambda: vectors(r, int(200_000 * scale), 128),
        "float32 vectors of 1536": lambda: vectors(r, int(20_000 * scale), 1536),
        "short strings": lambda: pa.array([f"{a} {b}" for a, b in zip(w[r.integers(0, 2000, m)],
                                                                      r.integers(0, 10**6, m))]),
        "long strings": lambda: pa.array([" ".join(w[i]) for i in r.integers(0, 2000, (m // 10, 100))]),
        "low-cardinality strings": lambda: pa.array(w[r.integers(0, 100, m)].tolist()),
        "list<int32>": lambda: lists(r, m),
        "struct": lambda: structs(r, m),
    }


# ---- both sides ------------------------------------------------------------------------------------------


class Ours:
    def __init__(self, path, threads):
        import inarch
        self.f, self.threads = inarch.open_file(path), threads

    def scan(self, batch):
        n = 0
        for b in pa.RecordBatchReader.from_stream(self.f.scan(batch_rows=batch, threads=self.threads)):
            n += b.num_rows
        return n

    def take(self, rows):
        return pa.table(self.f.take(rows, threads=self.threads))

    def io(self):
        return self.f.io()


class Engine:
    def __init__(self, path, _threads):
        from lance.file import LanceFileReader
        self.f = LanceFileReader(path)

    def scan(self, batch):
        n = 0
        for b in self.f.read_all(batch_size=batch).to_batches():
            n += b.num_rows
        return n

    def take(self, rows):
        return self.f.take_rows(rows).to_table()


def write_ours(path, t, version, threads):
    import inarch
    inarch.write_file(path, t, version=version, threads=threads, durability="relaxed")


def write_engine(path, t, version, _threads):
    from lance.file import LanceFileWriter
    with LanceFileWriter(path, t.schema, version=version) as w:
        w.write_batch(t)


# ---- measuring -------------------------------------------------------------------------------------------


def best_batch(side):
    """The batch size at which this side scans fastest."""
    from bench import timed

    def cost(b):
        side.scan(b)
        return statistics.median(timed(lambda: side.scan(b)) for _ in range(3))

    return min(BATCHES, key=cost)


def measure_read(name, paths, n, threads, table):
    """paths: what each side reads. Scan and take."""
    from bench import alternate, show

    a, b = Ours(paths[0], threads), Engine(paths[1], threads)
    x, y = best_batch(a), best_batch(b)
    rows = sorted(random.Random(5).sample(range(n), min(ROWS, n // 2)))
    assert a.scan(x) == b.scan(y) == n
    show(f"scan {name}", *alternate(lambda _: a.scan(x), lambda _: b.scan(y), RUNS), expect=SCAN)
    before = a.io()
    got = a.take(rows)
    reads, size = (p - q for p, q in zip(a.io(), before))
    assert got.combine_chunks().equals(b.take(rows).combine_chunks()) and got.equals(table.take(rows))
    show(f"take {len(rows)} {name}", *alternate(lambda _: a.take(rows), lambda _: b.take(rows), RUNS), expect=TAKE)
    one = rows[:: max(1, len(rows) // 200)]
    before = a.io()
    for i in one:
        a.take([i])
    r1, s1 = (p - q for p, q in zip(a.io(), before))
    show(f"take 1 {name}", *alternate(lambda _: [a.take([i]) for i in one], lambda _: [b.take([i]) for i in one], 3),
         scale=1e6 / len(one), unit="us")
    print(f"{'':44} per row: {reads / len(rows):.2f} reads, {size / len(rows):.0f} bytes; "
          f"alone {r1 / len(one):.2f} reads, {s1 / len(one):.0f} bytes")


def measure(name, column, threads, folder):
    from bench import alternate, judge, show

    t, n = pa.table({"x": column}), len(column)
    path = {k: os.path.join(folder, f"{k}.lance") for k in ("ours-2.1", "ours-2.2", "engine-2.1", "engine-2.2")}
    print(f"---- {name}: {n} rows, {t.nbytes / 1e6:.1f} MB, {threads} thread(s)")
    for v in ("2.1", "2.2"):
        ours, theirs = path[f"ours-{v}"], path[f"engine-{v}"]

        def put(fn, p):
            if os.path.exists(p):
                os.unlink(p)
            fn(p, t, v, threads)

        show(f"write {v}", *alternate(lambda _: put(write_ours, ours), lambda _: put(write_engine, theirs), 5),
             expect=WRITE)
        a, b = os.path.getsize(ours), os.path.getsize(theirs)
        met = judge(f"size {v}", a / b, SIZE)
        print(f"size {v:39} ours {a:,} engine {b:,} ours/engine {a / b:.3f} expected <= {SIZE}: "
              f"{'met' if met else 'MISSED'}", flush=True)
    measure_read("engine's 2.1", (path["engine-2.1"],) * 2, n, threads, t)
    measure_read("engine's 2.2", (path["engine-2.2"],) * 2, n, threads, t)
    measure_read("own 2.2 each", (path["ours-2.2"], path["engine-2.2"]), n, threads, t)
    for p in path.values():
        os.unlink(p)


def main():
    args = [a for a in sys.argv[1:] if a != "--quick"]
    threads, wanted = int(args[0]), args[1:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import bench

    folder = os.path.join(bench.WORK, f"file-{threads}")
    os.makedirs(folder, exist_ok=True)
    missed = []
    for name, make in data(0.25 if "--quick" in sys.argv else 1.0).items():
        column = make()
        if wanted and name not in wanted:
            continue
        bench.MISSED.clear()
        measure(name, column, threads, folder)
        missed += [f"{name}, {threads} thread(s): {m}" for m in bench.MISSED]
    os.rmdir(folder)
    print(f"---- file, {threads} thread(s): {len(missed)} below expectation")
    for m in missed:
        print("MISSED", m)


if __name__ == "__main__":
    main()

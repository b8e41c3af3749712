#!/usr/bin/env python3
"""test_file_roundtrip.py - data files: ours read by the real engine, the engine's read by us.

Usage: test_file_roundtrip.py FILE_TOOL [--full] [--only SUBSTRING]
FILE_TOOL is the test binary tests/unit/file/file_tool. Needs pylance and pyarrow.
"""
import os
import random
import struct
import subprocess
import sys
import tempfile

import pyarrow as pa
from lance.file import LanceFileReader, LanceFileWriter

TYPES = """bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 halffloat float double string large_string binary
large_binary fixed16 fixed300 date32 date64 time32 time64 timestamp duration fsl<float,4> fsl<float,63> fsl<float,64>
fsl<float,128> fsl<int8,10> fsl<bool,10> fsl<double,40> fsl<fsl<float,2>,3> list<int32> list<string> list<bool>
list<fsl<float,4>> list<fsl<float,128>> large_list<int64> list<list<int32>> struct<int32,string>
struct<struct<int64,bool>,double> list<struct<int32,string>> struct<list<int32>,string> null""".split()
WIDTH = {8: "b", 16: "h", 32: "i", 64: "q"}


def hexes(t):
    """How a fixed-width value prints: the hex of its little-endian bytes."""
    if pa.types.is_float16(t):
        return lambda v: struct.pack("<e", v).hex()
    if pa.types.is_float32(t):
        return lambda v: struct.pack("<f", v).hex()
    if pa.types.is_float64(t):
        return lambda v: struct.pack("<d", v).hex()
    fmt = "<" + WIDTH[t.bit_width]
    if pa.types.is_unsigned_integer(t):
        fmt = fmt.upper()
    return lambda v: struct.pack(fmt, v).hex()


def texts(a):
    """One exact text per element, as file_tool prints it."""
    t = a.type
    if isinstance(a, pa.ChunkedArray):
        return [x for c in a.chunks for x in texts(c)]
    if pa.types.is_null(t):
        return ["null"] * len(a)
    if pa.types.is_struct(t):
        kids = [texts(a.field(i)) for i in range(t.num_fields)]
        ok = a.is_valid().to_pylist()
        return ["{" + ",".join(k[i] for k in kids) + "}" if ok[i] else "null" for i in range(len(a))]
    if pa.types.is_list(t) or pa.types.is_large_list(t):
        ok, off = a.is_valid().to_pylist(), a.offsets.to_pylist()
        items = texts(a.values)
        return ["[" + ",".join(items[off[i]:off[i + 1]]) + "]" if ok[i] else "null" for i in range(len(a))]
    if pa.types.is_fixed_size_list(t):
        n, ok = t.list_size, a.is_valid().to_pylist()
        items = texts(a.values)[a.offset * n:]
        return ["[" + ",".join(items[i * n:(i + 1) * n]) + "]" if ok[i] else "null" for i in range(len(a))]
    if pa.types.is_dictionary(t):
        return texts(a.dictionary_decode())
    if pa.types.is_boolean(t):
        return [("t" if v else "f") if v is not None else "null" for v in a.to_pylist()]
    if pa.types.is_temporal(t):
        a = a.cast(pa.int32() if t.bit_width == 32 else pa.int64())
        t = a.type
    if t.id in (pa.string().id, pa.large_string().id):
        return ["x" + v.encode().hex() if v is not None else "null" for v in a.to_pylist()]
    if t.id in (pa.binary().id, pa.large_binary().id) or pa.types.is_fixed_size_binary(t):
        return ["x" + v.hex() if v is not None else "null" for v in a.to_pylist()]
    if pa.types.is_decimal(t):
        w, ok, raw = t.bit_width // 8, a.is_valid().to_pylist(), a.buffers()[1].to_pybytes()[a.offset * t.bit_width // 8:]
        return [raw[i * w:(i + 1) * w].hex() if ok[i] else "null" for i in range(len(a))]
    one = hexes(t)
    return [one(v) if v is not None else "null" for v in a.to_pylist()]


def table_lines(t):
    return [" ".join(r) for r in zip(*[texts(c.combine_chunks()) for c in t.columns])]


class Run:
    def __init__(self, tool):
        self.tool, self.bad, self.done = tool, 0, 0

    def lines(self, *args):
        p = subprocess.run([self.tool, *map(str, args)], capture_output=True, text=True)
        if p.returncode:
            raise RuntimeError(f"{' '.join(map(str, args))}: {p.stderr.strip()[-800:]}")
        return p.stdout.splitlines()

    def check(self, name, what, want, have):
        self.done += 1
        if want == have:
            return
        self.bad += 1
        at = next((i for i, (x, y) in enumerate(zip(want, have)) if x != y), min(len(want), len(have)))
        print(f"FAIL {name}: {what}: {len(want)} and {len(have)} rows, first difference at row {at}:\n"
              f"  want {want[at:at + 1]}\n  have {have[at:at + 1]}"[:600])

    def fail(self, name, e):
        self.done += 1
        self.bad += 1
        print(f"FAIL {name}: {type(e).__name__}: {e}"[:900])


def some_rows(n, rng):
    return sorted(rng.sample(range(n), min(n, 12)))


def ours(run, path, name, args, page_bytes, minor):
    """We write, the engine reads: everything, a range, scattered rows."""
    if os.path.exists(path):
        os.unlink(path)
    run.lines("gen", *args, minor, page_bytes, path)
    want = run.lines("show", *args)
    table = LanceFileReader(path).read_all().to_table()
    run.check(name, "engine reads ours", want, table_lines(table))
    rows = some_rows(len(want), random.Random(1))
    got = LanceFileReader(path).take_rows(rows).to_table()
    run.check(name, "engine takes ours", [want[r] for r in rows], table_lines(got))
    run.check(name, "we read ours", want, run.lines("read", path))
    run.check(name, "we read ours in batches of 100", want, run.lines("read", path, 100))
    run.check(name, "we take ours", [want[r] for r in rows], run.lines("take", path, *rows))
    return table, want


def theirs(run, path, name, table, want, version):
    """The engine writes, we read."""
    w = LanceFileWriter(path, table.schema, version=version)
    w.write_batch(table)
    w.close()
    run.check(name, f"we read {version}", want, run.lines("read", path))
    n = len(want)
    run.check(name, f"we read part of {version}", want[n // 3:n - n // 4], run.lines("read", path, 777, n // 3, n - n // 4))
    rows = some_rows(n, random.Random(2))
    run.check(name, f"we take {version}", [want[r] for r in rows], run.lines("take", path, *rows))


def main():
    full = "--full" in sys.argv
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    run = Run(sys.argv[1])
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "f.lance")
        for t in TYPES:
            for nulls in range(4) if t != "null" else [0]:
                for flavour in range(4):
                    for rows in ([1, 2, 1023, 1024, 1025, 5000, 70000] if full else [1, 300, 5000]):
                        name = f"{t} nulls={nulls} flavour={flavour} rows={rows}"
                        if only not in name or (flavour == 3 and not ("string" in t or "binary" in t)):
                            continue
                        try:
                            page = 3000 if flavour == 0 and rows < 6000 else 0
                            table, want = ours(run, path, name, (t, rows, 7, nulls, flavour), page, 1 + rows % 2)
                            for version in ("2.1", "2.2"):
                                theirs(run, path, name, table, want, version)
                        except BaseException as e:  # the engine panics through BaseException
                            if isinstance(e, KeyboardInterrupt):
                                raise
                            run.fail(name, e)
    print(f"{run.done} checks, {run.bad} failed")
    return 1 if run.bad else 0


if __name__ == "__main__":
    sys.exit(main())

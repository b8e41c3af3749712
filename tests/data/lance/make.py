#!/usr/bin/env python3
"""make.py - writes the data files of this folder with the real engine, and expected.txt.

expected.txt has one line per file: name, rows, SHA-256 of the values' text (one line per row, as
tests/unit/file/file_gen.c prints values).
The files here were made with pylance 14.0.2. Usage: make.py (run in this folder)
"""
import glob
import hashlib
import os
import random
import sys

import pyarrow as pa
from lance.file import LanceFileReader, LanceFileWriter

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../interop"))
from test_file_roundtrip import table_lines  # noqa: E402

rng = random.Random(42)


def some(values, p=0.1):
    return [None if rng.random() < p else v for v in values]


def field(name, t, **meta):
    return pa.field(name, t, metadata={("lance-encoding:" + k.replace("_", "-")): v for k, v in meta.items()})


def one(t, values, **meta):
    return pa.table([pa.array(values, t)], schema=pa.schema([field("c", t, **meta)]))


def vectors(n, dim, t=pa.float32(), nulls=False):
    rows = [[float(rng.randrange(1000)) / 8 for _ in range(dim)] for _ in range(n)]
    return one(pa.list_(t, dim), some(rows) if nulls else rows)


N = 1500
words = [f"word{i}" for i in range(30)]
TABLES = {
    "bool": one(pa.bool_(), some(rng.random() < 0.5 for _ in range(N))),
    "bool_equal": one(pa.bool_(), [True] * 300),
    "int8": one(pa.int8(), some(rng.randrange(-128, 128) for _ in range(N))),
    "int16_small": one(pa.int16(), [rng.randrange(9) for _ in range(N)]),
    "int32_bitpacked": one(pa.int32(), some(rng.randrange(100) for _ in range(N))),
    "int32_negative": one(pa.int32(), [rng.randrange(-50, 50) for _ in range(N)]),
    "int32_runs": one(pa.int32(), [i // 50 for i in range(N)]),
    "int32_equal": one(pa.int32(), [7] * N),
    "int32_equal_nulls": one(pa.int32(), some([7] * N)),
    "int32_null": one(pa.int32(), [None] * N),
    "int32_one": one(pa.int32(), [42]),
    "int64_sorted": one(pa.int64(), list(range(0, 3 * N, 3))),
    "int64_few": one(pa.int64(), [rng.choice([5, 10**15, -7, 3 * 10**12]) for _ in range(N)]),
    "int64_998": one(pa.int64(), [rng.randrange(998) for _ in range(2 * N)]),
    "int64_1500": one(pa.int64(), [rng.randrange(1500) * 10**12 for _ in range(4 * N)]),
    "uint64": one(pa.uint64(), [rng.randrange(2**64) for _ in range(200)]),
    "half": one(pa.float16(), [rng.randrange(100) / 4 for _ in range(300)]),
    "float": one(pa.float32(), some(rng.random() for _ in range(N))),
    "double": one(pa.float64(), some(rng.random() for _ in range(N))),
    "double_few": one(pa.float64(), [rng.choice([0.1, 2.5, -3.75]) for _ in range(N)]),
    "date32": one(pa.date32(), some(rng.randrange(20000) for _ in range(N))),
    "date64": one(pa.date64(), [86400000 * rng.randrange(20000) for _ in range(N)]),
    "timestamp": one(pa.timestamp("us", "UTC"), some(1700000000000000 + i * 1000 for i in range(N))),
    "string_short": one(pa.string(), some(f"v{i % 97}x{i}" for i in range(700))),
    "string_fsst": one(pa.string(), some(f"https://example.com/p/{rng.randrange(10**9)}/i?id={i}" for i in range(1100))),
    "string_dict": one(pa.string(), some(rng.choice(words) for _ in range(N))),
    "string_equal": one(pa.string(), ["abc"] * 400),
    "string_equal_nulls": one(pa.string(), some(["abc"] * 400)),
    "string_long": one(pa.string(), some("ab" * rng.randrange(130, 200) for _ in range(30))),
    "string_long_fsst": one(pa.string(), ["the quick brown fox %d " % i * 14 for i in range(140)]),
    "string_huge": one(pa.string(), ["z" * 40000, "", "y" * 5, "w" * 300]),
    "large_string": one(pa.large_string(), some(f"v{i}" for i in range(500))),
    "large_long": one(pa.large_binary(), [bytes([i]) * 400 for i in range(20)]),
    "binary": one(pa.binary(), some(rng.randbytes(8) for _ in range(600))),
    "fixed_binary": one(pa.binary(16), [rng.randbytes(16) for _ in range(200)]),
    "fixed_few": one(pa.binary(16), [rng.choice([b"a" * 16, b"b" * 16]) for _ in range(1000)]),
    "fixed_wide": one(pa.binary(300), some(rng.randbytes(300) for _ in range(20))),
    "fsl4": vectors(300, 4),
    "fsl4_nulls": vectors(300, 4, nulls=True),
    "fsl4_item_nulls": one(pa.list_(pa.float32(), 4), [[1.5, None, 2.0, float(i)] if i % 3 else None for i in range(200)]),
    "fsl128": vectors(20, 128),
    "fsl128_nulls": vectors(20, 128, nulls=True),
    "fsl_bool": one(pa.list_(pa.bool_(), 10), [[rng.random() < 0.5 for _ in range(10)] for _ in range(100)]),
    "list_int": one(pa.list_(pa.int32()), some([rng.randrange(100) for _ in range(rng.randrange(5))] for _ in range(N))),
    "list_long": one(pa.list_(pa.int32()), [list(range(k)) for k in (4000, 4100, 0, 4300)]),
    "list_nulls": one(pa.list_(pa.int32()), some(some(range(rng.randrange(4)), 0.3) for _ in range(N))),
    "list_all_null": one(pa.list_(pa.int32()), [[], None, []] * 100),
    "list_string": one(pa.list_(pa.string()), some([rng.choice(words) for _ in range(rng.randrange(4))] for _ in range(N))),
    "list_long_string": one(pa.list_(pa.string()), some(["s" * (260 + i % 50)] * (i % 3) for i in range(30))),
    "list_fsl": one(pa.list_(pa.list_(pa.float32(), 128)), [[[float(i)] * 128] * (i % 3) for i in range(12)]),
    "list_list": one(pa.list_(pa.list_(pa.int32())), some([[1, 2], [], [3]][: i % 4] for i in range(600))),
    "struct": one(pa.struct([("a", pa.int32()), ("b", pa.string())]),
                  some({"a": None if i % 7 == 0 else i, "b": f"s{i}"} for i in range(600))),
    "list_struct": one(pa.list_(pa.struct([("a", pa.int32()), ("b", pa.string())])),
                       some([{"a": i, "b": rng.choice(words)}, None][: i % 3] for i in range(600))),
    "dict": pa.table({"c": pa.array(some(rng.choice(words) for _ in range(500))).dictionary_encode()}),
    "null": one(pa.null(), [None] * 10),
    "int32_lz4": one(pa.int32(), some(rng.randrange(100) for _ in range(N)), compression="lz4"),
    "int32_zstd": one(pa.int32(), some(rng.randrange(100) for _ in range(N)), compression="zstd"),
    "float_bss": one(pa.float32(), [rng.random() for _ in range(N)], compression="zstd", bss="on"),
    "double_bss": one(pa.float64(), [rng.random() for _ in range(N)], compression="lz4", bss="on"),
    "string_lz4": one(pa.string(), [f"some text number {i}" for i in range(N)], compression="lz4"),
    "string_zstd": one(pa.string(), [f"some text number {i}" for i in range(N)], compression="zstd"),
    "string_long_zstd": one(pa.string(), [f"some text {i} " * 40 for i in range(60)], compression="zstd"),
}

def write(path, table, version):
    w = LanceFileWriter(path, table.schema, version=version)
    w.write_batch(table)
    w.close()


def main():
    os.chdir(HERE)
    for old in glob.glob("*.lance"):
        os.unlink(old)
    with open("expected.txt", "w") as out:
        for name, table in TABLES.items():
            for version in ("2.1", "2.2"):
                path = f"{name}.{version}.lance"
                write(path, table, version)
                lines = table_lines(LanceFileReader(path).read_all().to_table())
                digest = hashlib.sha256("".join(x + "\n" for x in lines).encode()).hexdigest()
                out.write(f"{path} {len(lines)} {digest}\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""make.py - writes the data files of format 2.3 of this folder with the real engine, and expected.txt.

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

rng = random.Random(23)
SPARSE = {"structural_encoding": "sparse"}
WHOLE = {"dict_divisor": "100000000"}  # no dictionaries


def one(t, values, **meta):
    meta = {"lance-encoding:" + k.replace("_", "-"): v for k, v in meta.items()}
    return pa.table([pa.array(list(values), t)], schema=pa.schema([pa.field("c", t, metadata=meta)]))


def some(values, p=0.3):
    return [None if rng.random() < p else v for v in values]


def runs(values, low, high):
    return [v for v in values for _ in range(rng.randrange(low, high))]


def below_null():
    """Null fixed-size lists whose structs are valid by themselves."""
    kids = pa.array(some({"a": i, "b": None if i % 5 == 0 else f"{i}" * 90} for i in range(120)), PAIR)
    typ = pa.list_(pa.field("item", PAIR), 3)
    lists = pa.FixedSizeListArray.from_arrays(kids, type=typ, mask=pa.array([i % 4 == 1 for i in range(40)]))
    return pa.table([lists], schema=pa.schema([pa.field("c", typ)]))


PAIR = pa.struct([("a", pa.int32()), ("b", pa.string())])
TABLES = {
    "flat": one(pa.int64(), [rng.randrange(2**62) for _ in range(300)]),
    "list": one(pa.list_(pa.int32()), some(some(range(i % 4)) for i in range(400))),
    "equal": one(pa.int32(), [7] * 50),
    "equal_nulls": one(pa.int32(), some([7] * 200)),
    "no_values": one(pa.list_(pa.int32()), [[], None, []] * 100),
    "zip_fsl": one(pa.list_(pa.float32(), 64), [[float(i)] * 64 for i in range(12)]),
    "runs_u16": one(pa.int64(), runs([rng.randrange(2**62) for _ in range(20)], 500, 900), **WHOLE),
    "runs_packed": one(pa.int64(), runs([rng.randrange(2000) for _ in range(1000)], 3, 4), **WHOLE),
    "runs_packed_lengths": one(pa.int64(), runs([rng.randrange(2**62) for _ in range(1500)], 1, 7), **WHOLE),
    "runs_zstd": one(pa.float64(), [rng.random() for _ in range(1200)], compression="zstd"),
    "runs_of_levels": one(pa.int32(), [None if i // 300 % 2 else i * 7919 for i in range(1500)], **WHOLE),
    "offsets_range": one(pa.binary(), [rng.randbytes(7) for _ in range(300)]),
    "offsets_delta": one(pa.binary(), [rng.randbytes(rng.randrange(1, 4)) for _ in range(3000)], **WHOLE),
    "offsets_delta_64": one(pa.large_binary(), [rng.randbytes(rng.randrange(1, 4)) for _ in range(3000)], **WHOLE),
    "offsets_runs": one(pa.string(), [None if i != 13 else "abc" for i in range(300)]),
    "dict_fsl": one(pa.list_(pa.list_(pa.int32(), 2), 2), [[[1, None], None], [[5, 6], [7, 8]]] * 150),
    "sparse_every": one(pa.int32(), [None if i % 3 == 0 else i for i in range(300)], **SPARSE),
    "sparse_one": one(pa.int64(), [None if i == 17 else i for i in range(100)], **SPARSE),
    "sparse_random": one(pa.int64(), some(range(2500)), **SPARSE),
    "sparse_strings": one(pa.string(), some(f"s{i}" * (i % 5) for i in range(400)), **SPARSE),
    "sparse_zip": one(pa.string(), some((f"{i}" * 90 for i in range(40))), **SPARSE),
    "sparse_lists": one(pa.list_(pa.int32()), some(some(range(rng.randrange(5))) for _ in range(1500)), **SPARSE),
    "sparse_deep": one(pa.list_(pa.list_(pa.int32())), some([[1, None], [], None, [3]][: i % 5] for i in range(300)),
                       **SPARSE),
    "sparse_struct": one(pa.list_(PAIR), some([{"a": i, "b": None}, None, {"a": None, "b": f"x{i}"}][: i % 4]
                                              for i in range(300)), **SPARSE),
    "sparse_below_null": below_null(),
}


def main():
    os.chdir(HERE)
    for old in glob.glob("*.lance"):
        os.unlink(old)
    with open("expected.txt", "w") as out:
        for name, table in TABLES.items():
            path = f"{name}.lance"
            with LanceFileWriter(path, table.schema, version="2.3") as w:
                w.write_batch(table)
            lines = table_lines(LanceFileReader(path).read_all().to_table())
            digest = hashlib.sha256("".join(x + "\n" for x in lines).encode()).hexdigest()
            out.write(f"{path} {len(lines)} {digest}\n")


if __name__ == "__main__":
    main()

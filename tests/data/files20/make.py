#!/usr/bin/env python3
"""make.py - writes the data files of format 2.0 of this folder with the real engine, and expected.txt.

expected.txt has one line per file: name, rows, SHA-256 of the values' text (one line per row, as
tests/unit/file/file_gen.c prints values); blob.lance is not among them. The files here were made with pylance 14.0.2.
Usage: make.py (run anywhere)
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

rng = random.Random(20)


def some(values, p=0.2):
    return [None if rng.random() < p else v for v in values]


def one(t, values, **meta):
    md = {"lance-encoding:" + k: v for k, v in meta.items()}
    return pa.table([pa.array(values, t)], schema=pa.schema([pa.field("c", t, metadata=md)]))


def lists(values):
    return [[next(values) for _ in range(rng.randrange(4))] for _ in range(60)]


count = iter(range(10**9))
words = [f"word {i}" for i in range(12)]
leaf = pa.struct([("a", pa.int32()), ("b", pa.string()), ("c", pa.list_(pa.int16()))])
TABLES = {
    "int32": one(pa.int32(), list(range(50))),
    "int32_nulls": one(pa.int32(), some(range(50))),
    "bool": one(pa.bool_(), some(i % 3 == 0 for i in range(100))),
    "double": one(pa.float64(), some(i / 8 for i in range(40))),
    "half": one(pa.float16(), [float(i) for i in range(20)]),
    "decimal": one(pa.decimal256(40, 2), some(range(20))),
    "timestamp": one(pa.timestamp("us", "UTC"), some(range(30))),
    "fixed_binary": one(pa.binary(3), some(b"%03d" % i for i in range(30))),
    "null": one(pa.null(), [None] * 10),
    "string": one(pa.string(), some(f"text {i}" * (i % 4) for i in range(80))),
    "string_all_null": one(pa.string(), [None] * 10),
    "large_binary": one(pa.large_binary(), some(b"%d" % i for i in range(50))),
    "string_words": one(pa.string(), some(rng.choice(words) for _ in range(200))),
    "string_zstd": one(pa.string(), some(f"the same text {i}" for i in range(100)), compression="zstd"),
    "string_lz4": one(pa.string(), some(f"the same text {i}" for i in range(100)), compression="lz4"),
    "string_fsst": one(pa.string(), some(f"the same text over and over {i * 7919}" for i in range(1100)), compression="fsst"),
    "fsl": one(pa.list_(pa.float32(), 3), some([float(i), None if i % 5 == 0 else 1.0, 2.0] for i in range(30))),
    "fsl_nested": one(pa.list_(pa.list_(pa.int16(), 2), 3), some([[i, 1], None if i % 3 else [2, None], [3, 4]] for i in range(30))),
    "fsl_bool": one(pa.list_(pa.bool_(), 3), some([i % 2 == 0, None, True] for i in range(30))),
    "list": one(pa.list_(pa.int32()), some(lists(count))),
    "list_empty": one(pa.list_(pa.int32()), some([[]] * 20)),
    "list_string": one(pa.large_list(pa.string()), some([some(x) for x in lists(map(str, count))])),
    "list_null": one(pa.list_(pa.null()), some([[None] * (i % 3) for i in range(20)])),
    "list_list_struct": one(pa.list_(pa.list_(leaf)),
                            some([some([{"a": i, "b": None if i % 2 else "x", "c": [1, None]}] * (i % 3) for i in range(k % 4))
                                  for k in range(60)])),
    "struct": one(pa.struct([("s", leaf), ("n", pa.null())]), [{"s": {"a": i, "b": str(i), "c": None}} for i in range(20)]),
    "struct_empty": one(pa.struct([("e", pa.struct([])), ("v", pa.int8())]), [{"e": {}, "v": i} for i in range(10)]),
    "dict": pa.table({"c": pa.array(some(rng.choice(words) for _ in range(60))).dictionary_encode()}),
    "dict_list": one(pa.list_(pa.dictionary(pa.int8(), pa.string())), some([["a", None, "b"], ["b"], []] * 7)),
    "dict_int": pa.table({"c": pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 2] * 5, pa.int8()), pa.array([100, None, 300]))}),
    "packed": one(pa.struct([("a", pa.int8()), ("b", pa.list_(pa.int16(), 2)), ("d", pa.float64())]),
                  [{"a": i, "b": [i, i + 1], "d": i / 2} for i in range(20)], packed="true"),
}
# a scan gives descriptors, so that its values are in the test
BLOB = one(pa.large_binary(), [b"abc", None, b"", b"x" * 100], blob="true")


def write(path, table, **options):
    with LanceFileWriter(path, table.schema, version="2.0", **options) as w:
        for batch in table.to_batches(max_chunksize=options and 25 or None):
            w.write_batch(batch)


def main():
    os.chdir(HERE)
    for old in glob.glob("*.lance"):
        os.unlink(old)
    many = pa.table({n: TABLES[n]["c"].slice(0, 60) for n in ("list", "list_list_struct", "string_words", "dict")})
    write("blob.lance", BLOB)
    with open("expected.txt", "w") as out:
        for name, table in {**TABLES, "pages": many}.items():
            path = f"{name}.lance"
            write(path, table, **({"data_cache_bytes": 1} if name == "pages" else {}))
            lines = table_lines(LanceFileReader(path).read_all().to_table())
            digest = hashlib.sha256("".join(x + "\n" for x in lines).encode()).hexdigest()
            out.write(f"{path} {len(lines)} {digest}\n")


if __name__ == "__main__":
    main()

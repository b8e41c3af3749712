#!/usr/bin/env python3
"""make.py - writes the data files of this folder with the real engine, and expected.txt.

Structure: maps, structs in fixed-size lists, packed structs, blobs, dictionaries, projections.
expected.txt has one line per file: name, rows, SHA-256 of the values' text (one line per row, as
tests/unit/file/file_gen.c prints values). Of blobs the values are the bytes.
The files here were made with pylance 14.0.2. Usage: make.py
"""
import decimal
import glob
import hashlib
import os
import random
import shutil
import tempfile

import lance
import pyarrow as pa
from lance.file import LanceFileReader, LanceFileWriter

HERE = os.path.dirname(os.path.abspath(__file__))
rng = random.Random(7)
PACKED = {"lance-encoding:packed": "true"}
BLOB = {"lance-encoding:blob": "true"}


def text(v, t):
    """A value as file_gen.c prints it."""
    if isinstance(t, pa.BaseExtensionType):
        t = t.storage_type
    if pa.types.is_dictionary(t):
        t = t.value_type
    if v is None:
        return "null"
    if pa.types.is_boolean(t):
        return "t" if v else "f"
    if pa.types.is_map(t):
        return "[" + ",".join("{%s,%s}" % (text(k, t.key_type), text(x, t.item_type)) for k, x in v) + "]"
    if pa.types.is_struct(t):
        return "{" + ",".join(text(v[f.name], f.type) for f in t) + "}"
    if pa.types.is_list(t) or pa.types.is_large_list(t) or pa.types.is_fixed_size_list(t):
        return "[" + ",".join(text(x, t.value_type) for x in v) + "]"
    if isinstance(v, str):
        return "x" + v.encode().hex()
    if isinstance(v, bytes):
        return "x" + v.hex()
    a = pa.array([v], t)
    return a.buffers()[1].to_pybytes()[:t.bit_width // 8].hex()


def some(values, p=0.1):
    return [None if rng.random() < p else v for v in values]


def one(t, values, meta=None):
    return pa.Table.from_arrays([pa.array(values, t)], schema=pa.schema([pa.field("c", t, True, meta)]))


def packed(*fields):
    return pa.struct([pa.field(n, t) for n, t in fields])


def rows_of(t, n, long=1):
    return [{f.name: {pa.string(): "s%d" % i * long, pa.large_binary(): b"b" * (i % 5)}.get(f.type, i % 100)
             for f in t} for i in range(n)]


S = pa.struct([("a", pa.int32()), ("b", pa.string())])
MAP = pa.map_(pa.string(), pa.int32())
FIXED = packed(("a", pa.int32()), ("b", pa.float64()), ("c", pa.uint8()))
VARIABLE = packed(("a", pa.int32()), ("b", pa.string()), ("c", pa.large_binary()))
DEEP = packed(("a", pa.string()), ("s", packed(("x", pa.int8()), ("y", pa.string()))))


def maps(n):
    return some([[("k%d" % j, j if j % 3 else None) for j in range(rng.randrange(4))] for _ in range(n)], 0.2)


def structs(k):
    return [None if rng.random() < 0.2 else {"a": rng.randrange(50), "b": rng.choice([None, "x", "yy"])} for _ in range(k)]


def deep(i):
    return {"f": None if i % 5 == 4 else [{"z": i, "y": "w%d" % i}, None, {"z": None, "y": None}], "x": i % 100}


NEST = pa.struct([("f", pa.list_(pa.struct([("z", pa.int16()), ("y", pa.string())]), 3)), ("x", pa.int8())])
ALL = ("2.1", "2.2")
NEW = ("2.2",)
UNSTABLE = {"map_list", "fsl_fsl", "struct_fsl", "packed_var_list", "struct_empty", "nulls", "dict_list"}  # also as 2.3
TABLES = {
    "map": (NEW, one(MAP, maps(300))),
    "map_list": (NEW, one(pa.map_(pa.int32(), pa.list_(pa.int32())),
                          some([[(i, None), (i + 1, [1, None, i]), (i + 2, [])][: i % 4] for i in range(200)]))),
    "map_map": (NEW, one(pa.map_(pa.string(), MAP), some([[("a", [("b", i)]), ("c", None), ("d", [])][: i % 4] for i in range(100)]))),
    "list_map": (NEW, one(pa.list_(MAP), some([maps(i % 4) for i in range(200)]))),
    "fsl_struct": (NEW, one(pa.list_(S, 3), some([structs(3) for _ in range(400)]))),
    "fsl_struct_equal": (NEW, one(pa.list_(pa.struct([("a", pa.int32()), ("b", pa.bool_())]), 3), [[{"a": i, "b": True}] * 3 for i in range(5)])),
    "fsl_fsl": (NEW, one(pa.list_(NEST, 2), some([[deep(i), None if i % 7 == 0 else deep(i + 1)] for i in range(120)]))),
    "struct_fsl": (NEW, one(pa.struct([("f", pa.list_(S, 2))]), some([{"f": structs(2) if i % 4 else None} for i in range(100)]))),
    "packed": (ALL, one(FIXED, some(rows_of(FIXED, 600)), PACKED)),
    "packed_null": (ALL, one(FIXED, [None] * 20, PACKED)),
    "packed_list": (ALL, one(pa.list_(pa.field("item", FIXED, True, PACKED)), some([some(rows_of(FIXED, i % 5)) for i in range(300)]))),
    "packed_fsl": (NEW, one(pa.list_(pa.field("item", FIXED, True, PACKED), 2), [rows_of(FIXED, 2) for i in range(60)])),
    "packed_struct": (ALL, one(pa.struct([pa.field("p", FIXED, True, PACKED), ("z", pa.int8())]), some([{"p": p, "z": 3} for p in some(rows_of(FIXED, 60))]))),
    "packed_decimal": (ALL, one(packed(("d", pa.decimal128(20, 2)), ("f", pa.binary(5)), ("t", pa.timestamp("us", "UTC"))),
                                [{"d": decimal.Decimal(i), "f": b"%05d" % i, "t": i} for i in range(50)], PACKED)),
    "packed_var": (NEW, one(VARIABLE, some(rows_of(VARIABLE, 300)), PACKED)),
    "packed_var_list": (NEW, one(pa.list_(pa.field("item", VARIABLE, True, PACKED)), some([some(rows_of(VARIABLE, i % 5)) for i in range(100)]))),
    "packed_fsst": (NEW, one(VARIABLE, rows_of(VARIABLE, 600, 5), PACKED)),
    "packed_deep": (NEW, one(DEEP, [{"a": "a%d" % i, "s": {"x": i % 100, "y": "y"}} for i in range(50)], PACKED)),
    "packed_vector": (NEW, one(packed(("a", pa.string()), ("v", pa.list_(pa.float32(), 3))), [{"a": str(i), "v": [1.0, 2.0, float(i)]} for i in range(50)], PACKED)),
    "blob": (ALL, one(pa.large_binary(), some([b"z" * (i * 37 % 90) for i in range(60)]), BLOB)),
    "blob_null": (ALL, one(pa.large_binary(), [None] * 5, BLOB)),
    "blob_struct": (ALL, one(pa.struct([pa.field("b", pa.large_binary(), True, BLOB), ("x", pa.int8())]),
                             [{"b": b"hello", "x": 1}, None, {"b": None, "x": 2}, {"b": b"", "x": 3}])),
    "dict": (ALL, one(pa.dictionary(pa.int8(), pa.string()), some([rng.choice("abcdefg") for _ in range(400)]))),
    "dict_int": (ALL, one(pa.dictionary(pa.uint16(), pa.int64()), some([rng.randrange(300) for _ in range(700)]))),
    "dict_list": (ALL, one(pa.list_(pa.dictionary(pa.int8(), pa.string())), some([["a", None, "b"][: i % 4] for i in range(100)]))),
    "dict_null_value": (ALL, pa.table({"c": pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 2, 0] * 20, pa.int8()), pa.array(["x", None, "z"]))})),
    "struct_empty": (ALL, pa.table({"c": pa.StructArray.from_buffers(pa.struct([]), 300, [None])})),
    "large_list": (ALL, one(pa.large_list(S), some([structs(i % 4) for i in range(300)]))),
    "decimal256": (ALL, one(pa.decimal256(50, 3), some([decimal.Decimal(i) for i in range(80)]))),
    "zone": (ALL, one(pa.timestamp("us", "+05:30"), some(range(100)))),
    "nulls": (ALL, one(pa.struct([("a", pa.list_(pa.struct([("b", pa.list_(pa.int32())), ("c", S)])))]),
                       some([{"a": some([{"b": some([[1, None], [], None][i % 3] or [], 0.3) or None, "c": structs(1)[0]}, None][: i % 3], 0.3)}
                             for i in range(300)], 0.2))),
}


def write(path, table, version):
    third = table.num_rows // 3
    with LanceFileWriter(path, table.schema, version=version) as w:
        for rows in (range(third), range(third, table.num_rows)):
            if table.schema.field(0).type.equals(pa.struct([])):
                w.write_batch(table.slice(rows.start, len(rows)))
            else:  # copied: the engine's writer trips over slices of structs in fixed-size lists
                w.write_batch(table.take(pa.array(rows)))


def lines(table):
    types = [f.type for f in table.schema]
    return [" ".join(text(r[n], t) for n, t in zip(table.column_names, types)) for r in table.to_pylist()]


def write_blob_v2(path):
    """The data file of a table: descriptors of blobs inside, outside, empty, null."""
    values = [b"hello", None, b"", b"x" * 200, lance.Blob.from_uri("file:///nowhere/x.bin")]
    table = pa.table([lance.blob_array(values), pa.array(range(5), pa.int32())],
                     schema=pa.schema([lance.blob_field("c"), pa.field("i", pa.int32())]))
    with tempfile.TemporaryDirectory() as tmp:
        ds = lance.write_dataset(table, tmp + "/t", data_storage_version="2.2",
                                 allow_external_blob_outside_bases=True)
        shutil.copy(glob.glob(tmp + "/t/data/*.lance")[0], path)
        descriptor = pa.struct([("kind", pa.uint8()), ("position", pa.uint64()), ("size", pa.uint64()),
                                ("blob_id", pa.uint32()), ("blob_uri", pa.string())])
        return [text(r["c"], descriptor) + " " + text(r["i"], pa.int32()) for r in ds.to_table().to_pylist()]


def expect(out, path, have):
    digest = hashlib.sha256("".join(x + "\n" for x in have).encode()).hexdigest()
    out.write(f"{path} {len(have)} {digest}\n")


def main():
    os.chdir(HERE)
    for old in glob.glob("*.lance"):
        os.unlink(old)
    with open("expected.txt", "w") as out:
        for name, (versions, table) in TABLES.items():
            for version in versions + (("2.3",) if name in UNSTABLE else ()):
                path = f"{name}.{version}.lance"
                write(path, table, version)
                have = lines(LanceFileReader(path).read_all().to_table())
                expect(out, path, have)
        expect(out, "blob_v2.2.2.lance", write_blob_v2("blob_v2.2.2.lance"))


if __name__ == "__main__":
    main()

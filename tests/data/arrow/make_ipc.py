# make_ipc.py - writes the IPC files and streams in tests/data/arrow/ with the reference library.
# Usage: python make_ipc.py OUT_DIR   (pyarrow 26)
# test_ipc_stream.c compares the rows with the .jsonl texts, which were checked against pyarrow's own.
import datetime as dt, decimal, sys
import pyarrow as pa

out = sys.argv[1]
D = decimal.Decimal

def columns():
    us = dt.datetime(2026, 1, 31, 12, 0, 0, 123456)
    return {
        "null": pa.nulls(3), "bool": pa.array([True, None, False]),
        "i8": pa.array([-128, None, 127], pa.int8()), "u8": pa.array([0, None, 255], pa.uint8()),
        "i16": pa.array([-32768, None, 1], pa.int16()), "u16": pa.array([65535, 0, None], pa.uint16()),
        "i32": pa.array([1, 2, 3], pa.int32()), "u32": pa.array([4294967295, None, 0], pa.uint32()),
        "i64": pa.array([-2**63, None, 2**63 - 1], pa.int64()),
        "u64": pa.array([2**64 - 1, None, 0], pa.uint64()),
        "f16": pa.array([1.5, None, -2.0], pa.float16()), "f32": pa.array([0.1, None, 2], pa.float32()),
        "f64": pa.array([0.1, None, 1e300]), "s": pa.array(["a", None, "é\""]),
        "ls": pa.array(["", None, "long"], pa.large_string()),
        "b": pa.array([b"\x00\xff", None, b""], pa.binary()),
        "lb": pa.array([b"abc", None, b""], pa.large_binary()),
        "fb": pa.array([b"abcd", None, b"\x00\x01\x02\x03"], pa.binary(4)),
        "d32": pa.array([0, None, 20000], pa.date32()), "d64": pa.array([0, None, 86400000], pa.date64()),
        "t32s": pa.array([0, None, 86399], pa.time32("s")),
        "t32m": pa.array([1, None, 2], pa.time32("ms")), "t64u": pa.array([1, None, 2], pa.time64("us")),
        "t64n": pa.array([1, None, 2], pa.time64("ns")),
        "tss": pa.array([0, None, 10**9], pa.timestamp("s")),
        "tsu": pa.array([us, None, us], pa.timestamp("us", "Europe/Berlin")),
        "tsn": pa.array([1, None, 10**18], pa.timestamp("ns", "UTC")),
        "dur": pa.array([1, None, -5], pa.duration("ms")),
        "dec": pa.array([D("1.25"), None, D("-99999.99")], pa.decimal128(7, 2)),
        "dec256": pa.array([D("1e40"), None, D("-1")], pa.decimal256(60, 3)),
        "l": pa.array([[1, None], None, []], pa.list_(pa.int32())),
        "ll": pa.array([["x"], None, []], pa.large_list(pa.string())),
        "fl": pa.array([[1, 2], None, [3, None]], pa.list_(pa.float32(), 2)),
        "st": pa.array([{"x": 1, "y": ["p", "q"]}, None, {"x": None, "y": None}],
                       pa.struct([("x", pa.int64()), ("y", pa.list_(pa.string()))])),
        "m": pa.array([[("k", 1), ("l", None)], None, []], pa.map_(pa.string(), pa.int32())),
        "dict": pa.DictionaryArray.from_arrays(pa.array([1, None, 2], pa.int8()), ["p", "q", None]),
    }

def table():
    c = columns()
    s = pa.schema([pa.field(k, v.type, metadata={"of": k} if k == "i32" else None, nullable=k != "i32")
                   for k, v in c.items()], metadata={"made": "by hand"})
    return pa.table(list(c.values()), schema=s)

def write(name, batches, schema, codec=None, **kw):
    opt = pa.ipc.IpcWriteOptions(compression=codec, **kw)
    new = pa.ipc.new_file if name.endswith(".arrow") else pa.ipc.new_stream
    with new(out + "/" + name, schema, options=opt) as w:
        for b in batches:
            w.write_batch(b)

if __name__ == "__main__":
    t = table()
    bs = t.to_batches() + t.slice(1, 2).to_batches()
    write("ipc_types.arrow", bs, t.schema)
    write("ipc_types_zstd.arrow", bs, t.schema, "zstd")
    write("ipc_types_lz4.arrows", bs, t.schema, "lz4")

    def d(idx, values):
        return pa.record_batch([pa.DictionaryArray.from_arrays(pa.array(idx, pa.int16()), values)], ["d"])
    b = [d([0, 1, None], ["a", "b"]), d([2, 0, 1], ["a", "b", "c"]), d([3], ["a", "b", "c", None])]
    write("ipc_delta.arrows", b, b[0].schema, emit_dictionary_deltas=True)
    b = [d([0, 1], ["a", "b"]), d([0, 1], ["x", "y"])]
    write("ipc_replace.arrows", b, b[0].schema)
    inner = pa.DictionaryArray.from_arrays(pa.array([1, 0, 1], pa.int32()), ["u", "v"])
    lists = pa.ListArray.from_arrays([0, 2, 3], inner)
    b = [pa.record_batch([pa.DictionaryArray.from_arrays(pa.array([1, 0, 1, None], pa.uint8()), lists)],
                         ["n"])]
    write("ipc_nested_dict.arrow", b, b[0].schema)

    def refused(name, a):
        b = pa.record_batch([a], ["a"])
        write("ipc_no_" + name + ".arrows", [b], b.schema)
    refused("view", pa.array(["x"], pa.string_view()))
    refused("union", pa.UnionArray.from_dense(pa.array([0], pa.int8()), pa.array([0], pa.int32()),
                                              [pa.array([1])]))
    refused("interval", pa.array([(1, 2, 3)], pa.month_day_nano_interval()))
    refused("ree", pa.RunEndEncodedArray.from_arrays([1], [5]))
    refused("list_view", pa.array([[1]], pa.list_view(pa.int32())))

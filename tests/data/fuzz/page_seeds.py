"""page_seeds.py - inputs of the fuzzers page_* and encoding: the parts of files of the real engine, without containers."""
import os
import struct
import sys
import tempfile

import pyarrow as pa
from lance.file import LanceFileWriter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "interop"))
import file_dump  # noqa: E402
import file_types as ft  # noqa: E402

KINDS = {0x0A: "page_mini", 0x12: "page_constant", 0x1A: "page_zip", 0x22: "page_blob", 0x2A: "page_sparse"}
# (type, nulls, values, metadata): one of everything that decodes in another way, small.
PLANS = [(t, "some", "random", {}) for t in ("bool", "int8", "int64", "float16", "string", "large_binary", "fsb16", "null", "list_i32",
                                             "list_list", "struct_list", "fsl_f32_4", "fsl_bool_10", "fsl_fsl", "dict_i8", "packed",
                                             "map_string_i32", "fsl_struct", "packed_var", "list_struct", "decimal128")]
PLANS += [("int32", "none", f, {}) for f in ("small", "runs", "one", "sorted")] + [("int64", "some", "few", {})]
PLANS += [("string", "none", f, {}) for f in ("few", "one", "long")] + [("int32", "all", "random", {}), ("list_string", "all", "random", {})]
PLANS += [("float32", "some", "random", {"compression": c, "bss": "on"}) for c in ("lz4", "zstd")]
PLANS += [("string", "none", "random", {"compression": c}) for c in ("lz4", "zstd", "fsst")]
PLANS += [(t, "some", "random", {"structural-encoding": "fullzip"}) for t in ("string", "int16", "fsl_f32_4", "list_i32")]
PLANS += [("string", "none", "random", {"structural-encoding": "fullzip", "compression": c}) for c in ("zstd", "fsst")]
PLANS += [("large_binary", "some", "random", {"blob": "true"})]
ENCODING_TYPES = {"bool": 0, "int8": 1, "int16": 2, "int32": 3, "int64": 4, "float32": 5, "string": 7, "large_binary": 10, "fsb16": 12,
                  "fsl_f32_4": 13, "fsl_bool_10": 14, "fsl_fsl": 15, "decimal128": 12}
# Sparse pages of the older form, which no engine writes: (type, rows, description, buffers).
SPARSE = [("int32", 6, "2a220a040a020820100118062006280132120a100806120c080112080a040a0208402803",
           ("0300000006000000", "000018000000fefe000000000100000002000000030000000400000005000000",
            "010000000000000001000000000000000300000000000000")),
          ("list_i32", 4, "2a400a040a02082010011806200428013220121e080410041a081204080110022802"
           "22060a040a0208402a06080112022200320e0a0c08041208080212041a002804",
           ("0200000004000000", "000010000000fefe01000000020000000300000004000000", "01000000000000000300000000000000"))]


def written(plan, version, rows):
    """The bytes of the engine's file, or None when it refuses."""
    name, nulls, flavour, meta = plan
    a = ft.column(name, rows, nulls, flavour, 3)
    tags = {f"lance-encoding:{k}".encode(): v.encode() for k, v in meta.items()}
    t = pa.table([a], schema=pa.schema([pa.field("c", a.type, True, {**tags, **ft.METADATA.get(name, {})} or None)]))
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "t.lance")
        try:
            with LanceFileWriter(path, t.schema, version=version) as w:
                w.write_batch(t)
            with open(path, "rb") as f:
                return f.read()
        except BaseException as e:  # panics of the engine derive from it
            if isinstance(e, (KeyboardInterrupt, SystemExit)):
                raise
            return None


def pages(b):
    """(descriptor, columns of pages of (rows, description, buffers)) of a file."""
    _, cmo, gbo, _, n, *_ = struct.unpack("<QQQIIHH4s", b[-40:])
    at, size = struct.unpack_from("<QQ", b, gbo)
    descriptor, columns = b[at:at + size], []
    for k in range(n):
        at, size = struct.unpack_from("<QQ", b, cmo + 16 * k)
        found = []
        for raw in file_dump.message(b[at:at + size]).get(2, []):
            p, m = file_dump.Page(raw), file_dump.message(raw)
            boxed = file_dump.message(file_dump.message(file_dump.message(m[4][0])[2][0])[1][0])
            found.append((p.rows, boxed.get(2, [b""])[0], [b[o:o + s] for o, s in zip(p.offsets, p.sizes)]))
        columns.append(found)
    return descriptor, columns


def packed(descriptor, columns):
    """The form that fuzz_pages.h describes; None when it does not fit."""
    head, tail = struct.pack("<H", len(descriptor)) + descriptor + bytes([len(columns)]), b""
    for found in columns:
        head += bytes([len(found)])
        for rows, desc, buffers in found:
            if max(rows, len(desc), *map(len, buffers), 0) > 65535:
                return None
            head += struct.pack("<HHB", rows, len(desc), len(buffers)) + b"".join(struct.pack("<H", len(x)) for x in buffers)
            tail += desc + b"".join(buffers)
    return head + tail


def first_chunk(layout, buffers):
    """(values, [value buffers], rep, def) of the first chunk of a mini-block page."""
    m = file_dump.message(file_dump.message(layout)[1][0])
    large, n_bufs, items = 10 in m, file_dump.one(m, 7), file_dump.one(m, 9)
    word = struct.unpack_from("<I" if large else "<H", buffers[0])[0]
    chunk = buffers[1][:((word >> 4) + 1) * 8]
    values = 1 << (word & 15) if len(buffers[0]) > (4 if large else 2) else items
    at, sizes = 2, []
    for kind in [1] * (1 in m) + [2] * (2 in m):
        sizes.append(struct.unpack_from("<H", chunk, at)[0])
        at += 2
    for _ in range(n_bufs):
        sizes.append(struct.unpack_from("<I" if large else "<H", chunk, at)[0])
        at += 4 if large else 2
    parts = []
    for size in sizes:
        at = (at + 7) & ~7
        parts.append(chunk[at:at + size])
        at += size
    return values, parts[len(parts) - n_bufs:], parts[:len(parts) - n_bufs], struct.unpack_from("<H", chunk)[0]


def encoding(mode, kind, n, desc, buffers):
    return struct.pack("<BBHB", mode, kind, n, len(buffers)) + b"".join(struct.pack("<H", len(x)) for x in buffers) + \
        struct.pack("<H", len(desc)) + desc + b"".join(buffers)


def make(save):
    """Calls save(fuzzer, name, bytes) for every seed."""
    for name, rows, desc, buffers in SPARSE:
        descriptor, _ = pages(written((name, "some", "random", {}), "2.2", rows))
        save("page_sparse", name, packed(descriptor, [[(rows, bytes.fromhex(desc), [bytes.fromhex(b) for b in buffers])]]))
    for version in ("2.0", "2.1", "2.2", "2.3"):
        for i, plan in enumerate(PLANS):
            rows = 1100 if plan[2] in ("small", "runs", "few", "one") else 130 if plan[2] != "long" else 6
            b = written(plan, version, rows)
            if b is None:
                continue
            descriptor, columns = pages(b)
            label = f"{version}-{i:02d}-{plan[0]}"
            seed = packed(descriptor, columns)
            layout = columns[0][0][1]
            if version in ("2.0", "2.3"):
                save("page_v20" if version == "2.0" else "page_planar", label, seed)
                continue
            fuzzer = KINDS[layout[0]]
            if version == "2.2" or fuzzer == "page_blob":
                save(fuzzer, label, seed)
            if fuzzer == "page_mini" and plan[0] in ENCODING_TYPES and version == "2.2":
                values, bufs, levels, n = first_chunk(layout, columns[0][0][2])
                kind = ENCODING_TYPES[plan[0]]
                save("encoding", "mini-" + label, encoding(0, kind, values, layout, bufs))
                for k, part in enumerate(levels):
                    save("encoding", f"levels{k}-{label}", encoding(1, kind, n, layout, [part]))
                if 4 in file_dump.message(file_dump.message(layout)[1][0]):
                    count = file_dump.one(file_dump.message(file_dump.message(layout)[1][0]), 5)
                    save("encoding", "block-" + label, encoding(2, kind, count, layout, [columns[0][0][2][2]]))

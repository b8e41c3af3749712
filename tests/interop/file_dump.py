#!/usr/bin/env python3
"""What the bytes of a Lance data file say, read with nothing but the standard library: columns, pages, encodings.

    file_dump.py FILE...        It shares no code with the library, so that the conformance tests have a witness.
"""
import struct
import sys


def varint(b, at):
    value = shift = 0
    while True:
        x = b[at]
        at += 1
        value |= (x & 127) << shift
        shift += 7
        if x < 128:
            return value, at


def message(b):
    """A protobuf message as {field number: [values]}; sub-messages stay bytes."""
    out, at = {}, 0
    while at < len(b):
        key, at = varint(b, at)
        if key & 7 == 0:
            value, at = varint(b, at)
        elif key & 7 == 1:
            value, at = struct.unpack_from("<Q", b, at)[0], at + 8
        elif key & 7 == 2:
            size, at = varint(b, at)
            value, at = b[at:at + size], at + size
        elif key & 7 == 5:
            value, at = struct.unpack_from("<I", b, at)[0], at + 4
        else:
            raise ValueError(f"wire type {key & 7}")
        out.setdefault(key >> 3, []).append(value)
    return out


def numbers(values):
    out = []
    for v in values:
        if isinstance(v, int):
            out.append(v)
            continue
        at = 0
        while at < len(v):
            x, at = varint(v, at)
            out.append(x)
    return out


def one(m, number, default=0):
    return m[number][0] if number in m else default


def compression(m, number):
    """LZ4, ZSTD of a BufferCompression member."""
    c = message(one(m, number, b""))
    return {0: "none", 1: "lz4", 2: "zstd"}.get(one(c, 1), f"scheme{one(c, 1)}")


def enc(b):
    """A CompressiveEncoding as text."""
    if b is None:
        return "-"
    tree = message(b)
    if len(tree) != 1:
        return f"?{sorted(tree)}"
    (kind, (body,)), = tree.items()
    m = message(body)

    def sub(number):
        return enc(m[number][0]) if number in m else "-"

    if kind == 1:
        return f"flat{one(m, 1)}"
    if kind == 2:
        return f"variable({sub(1)})"
    if kind == 3:
        return "constant"
    if kind == 4:
        return f"oolbp{one(m, 1)}({sub(3)})"
    if kind == 5:
        return f"inlinebp{one(m, 1)}"
    if kind == 6:
        return f"fsst({sub(2)})"
    if kind == 7:
        return f"dictionary({sub(1)},{sub(2)})"
    if kind == 8:
        return f"rle({sub(1)},{sub(2)})"
    if kind == 9:
        return f"bss({sub(1)})"
    if kind == 10:
        return f"{compression(m, 1)}({sub(3)})"
    if kind == 11:
        return f"fsl{one(m, 1)}{'v' if one(m, 3) else ''}({sub(2)})"
    if kind == 12:
        return f"packed({','.join(map(str, numbers(m.get(1, []))))};{sub(2)})"
    if kind == 13:
        return "varpacked(" + ",".join(enc(one(message(f), 1, None)) for f in m.get(1, [])) + ")"
    if kind == 14:
        return f"range{one(m, 1)}"
    if kind == 15:
        return f"delta{one(m, 1)}({sub(3)})"
    return f"encoding{kind}"


LAYERS = {1: "I", 2: "L", 3: "I?", 4: "L?", 5: "L0", 6: "L?0"}


def layers(m, number):
    return "[" + ",".join(LAYERS.get(x, str(x)) for x in numbers(m.get(number, []))) + "]"


def mini(m):
    text = f"mini{layers(m, 6)} {enc(one(m, 3, None))}"
    if 4 in m:
        text += f" dict={enc(m[4][0])}"
    if 1 in m:
        text += f" rep={enc(m[1][0])}"
    if 2 in m:
        text += f" def={enc(m[2][0])}"
    return text + (" large" if one(m, 10) else "")


def constant(m, n_buffers):
    kind = "inline" if 6 in m else "value" if n_buffers in (1, 3) else "null"
    text = f"constant{layers(m, 5)} {kind}"
    if 7 in m:
        text += f" rep={enc(m[7][0])}"
    if 8 in m:
        text += f" def={enc(m[8][0])}"
    return text + (" levels" if n_buffers >= 2 else "")


def positions(b):
    m = message(b)
    return {1: "explicit:" + enc(one(m, 1, None)), 2: "range", 3: "all", 4: "empty"}[min(k for k in m if k < 5)]


def sparse_layer(b):
    (kind, (body,)), = message(b).items()
    m = message(body)

    def validity(number):
        v = message(one(m, number, b""))
        return positions(v[2][0]) if 2 in v else "none"

    if kind == 1:
        return f"validity({validity(2)})"
    if kind == 2:
        counts = message(one(m, 4, b""))
        how = "explicit:" + enc(counts[1][0]) if 1 in counts else "constant" if 2 in counts else "empty"
        return f"list({positions(m[3][0]) if 3 in m else 'none'};{how};{validity(5)})"
    return f"fsl{one(m, 2)}({validity(3)})"


def layout(value, n_buffers):
    tree = message(value)
    kind = next((k for k in tree if k <= 5), None)
    m = message(tree[kind][0])
    if kind == 1:
        return mini(m)
    if kind == 2:
        return constant(m, n_buffers)
    if kind == 3:
        wide = f"value{one(m, 3)}" if 3 in m else f"offset{one(m, 4)}"
        return f"zip{layers(m, 8)} {enc(one(m, 7, None))} {wide} rep{one(m, 1)} def{one(m, 2)}"
    if kind == 4:
        return f"blob{layers(m, 2)} " + layout(m[1][0], n_buffers)
    if kind == 5:
        return f"sparse {enc(one(m, 1, None))} " + " ".join(sparse_layer(x) for x in m.get(6, []))
    return f"layout{sorted(tree)}"


def planar_set(b):
    """A set of positions: none, or how they are coded."""
    m = message(b)
    return enc(one(m, 2, None)) if one(m, 3) else "none"


def planar_layer(b):
    (kind, (body,)), = message(b).items()
    if kind == 1:
        return f"validity({planar_set(body)})"
    m = message(body)
    if kind == 2:
        return f"list({enc(one(m, 2, None)) if one(m, 3) else 'none'};{enc(one(m, 4, None))};{planar_set(m[5][0])})"
    return f"fsl{one(m, 1)}({planar_set(m[2][0])})"


def planar(value):
    """A page of format 2.3: structure and values apart."""
    m = message(value)
    (how, (structure,)), = message(m[1][0]).items()
    (kind, (body,)), = message(m[2][0]).items()
    s, v = message(structure), message(body)
    text = f"dense{layers(s, 1)}" if how == 1 else "sparse " + " ".join(planar_layer(x) for x in s.get(1, []))
    if kind == 1:
        levels = message(one(v, 2, b""))
        text += f" mini {enc(one(v, 1, None))}" + (f" dict={enc(v[3][0])}" if 3 in v else "")
        return text + "".join(f" {name}={enc(levels[k][0])}" for name, k in (("rep", 1), ("def", 2)) if k in levels)
    if kind == 2:
        wide = f"value{one(v, 3)}" if 3 in v else f"offset{one(v, 4)}"
        return text + f" zip {enc(one(v, 1, None))} {wide}"
    return text + {3: " constant", 4: " none"}.get(kind, f" values{kind}")


def array20(b):
    """An ArrayEncoding of format 2.0 as text."""
    (kind, (body,)), = message(b).items()
    m = message(body)

    def sub(number):
        return array20(m[number][0])

    if kind == 1:
        c = message(one(m, 3, b""))
        scheme = one(c, 1, b"").decode()
        return f"flat{one(m, 1)}" + (f":{scheme}" if scheme not in ("", "none") else "")
    if kind == 2:
        if 1 in m:
            return f"nn({array20(message(m[1][0])[1][0])})"
        if 2 in m:
            some = message(m[2][0])
            return f"sn({array20(some[1][0])},{array20(some[2][0])})"
        return "an"
    if kind == 3:
        return f"fsl{one(m, 1)}({sub(2)})"
    if kind == 4:
        return f"list({sub(1)})"
    if kind == 5:
        return "struct"
    if kind == 6:
        return f"binary({sub(1)},{sub(2)})"
    if kind == 7:
        return f"dictionary({sub(1)},{sub(2)})"
    if kind == 8:
        return f"fsst({sub(1)})"
    if kind == 9:
        return "packed(" + ",".join(array20(x) for x in m.get(1, [])) + ")"
    return {10: "bitpacked", 11: "fixed_binary", 12: "bitpacked_non_neg", 13: "constant"}.get(kind, f"array{kind}")


class Page:
    def __init__(self, b):
        m = message(b)
        self.offsets, self.sizes = numbers(m.get(1, [])), numbers(m.get(2, []))
        self.rows, self.first = one(m, 3), one(m, 5)
        direct = message(one(message(m[4][0]), 2, b""))
        boxed = message(direct[1][0])
        url = boxed[1][0].decode()
        value = one(boxed, 2, b"")
        if url == "/lance.encodings.ArrayEncoding":
            self.text = array20(value)
        elif url == "/lance.encodings21.PageLayout":
            self.text = layout(value, len(self.sizes))
        elif url == "/lance.encodings23.PlanarLayout":
            self.text = planar(value)
        else:
            self.text = url


class File:
    """Version, row count, and the pages of each column."""

    def __init__(self, path):
        with open(path, "rb") as f:
            b = f.read()
        meta, cmo, gbo, n_global, n_columns, major, minor, magic = struct.unpack("<QQQIIHH4s", b[-40:])
        if magic != b"LANC":
            raise ValueError(f"{path}: no Lance file")
        self.version = "2.0" if (major, minor) == (0, 3) else f"{major}.{minor}"
        at, size = struct.unpack_from("<QQ", b, gbo)
        self.rows = one(message(b[at:at + size]), 2)
        self.columns = []
        for k in range(n_columns):
            at, size = struct.unpack_from("<QQ", b, cmo + 16 * k)
            m = message(b[at:at + size])
            self.columns.append([Page(p) for p in m.get(2, [])])
        self.size = len(b)

    def encodings(self):
        """The page descriptions of the file, without doubles, in order."""
        return list(dict.fromkeys(p.text for c in self.columns for p in c))


def main():
    for path in sys.argv[1:]:
        f = File(path)
        print(f"{path}: version {f.version}, {f.rows} rows, {len(f.columns)} columns, {f.size} bytes")
        for k, pages in enumerate(f.columns):
            for i, p in enumerate(pages):
                print(f"  column {k} page {i}: rows {p.first}+{p.rows}, buffers {p.sizes}: {p.text}")


if __name__ == "__main__":
    main()

"""Columns of every type that a Lance file stores, with chosen nulls and values, and the encodings worth forcing."""
import decimal

import numpy as np
import pyarrow as pa

NULLS = ("none", "some", "all", "inner")  # inner: only below the top level (nested types), else at both ends
UNITS = ("s", "ms", "us", "ns")


def _struct(**kw):
    return pa.struct([pa.field(k, v) for k, v in kw.items()])


PACKED = {b"lance-encoding:packed": b"true"}
BLOB = {b"lance-encoding:blob": b"true"}
PRIMITIVES = {
    "bool": pa.bool_(), "int8": pa.int8(), "int16": pa.int16(), "int32": pa.int32(), "int64": pa.int64(),
    "uint8": pa.uint8(), "uint16": pa.uint16(), "uint32": pa.uint32(), "uint64": pa.uint64(),
    "float16": pa.float16(), "float32": pa.float32(), "float64": pa.float64(),
    "string": pa.string(), "large_string": pa.large_string(), "binary": pa.binary(), "large_binary": pa.large_binary(),
    "fsb3": pa.binary(3), "fsb16": pa.binary(16), "fsb300": pa.binary(300),
    "date32": pa.date32(), "date64": pa.date64(), "time32s": pa.time32("s"), "time32ms": pa.time32("ms"),
    "time64us": pa.time64("us"), "time64ns": pa.time64("ns"),
    **{f"timestamp_{u}": pa.timestamp(u) for u in UNITS}, "timestamp_utc": pa.timestamp("us", "UTC"),
    "timestamp_zone": pa.timestamp("ms", "Europe/Paris"), **{f"duration_{u}": pa.duration(u) for u in UNITS},
    "decimal128": pa.decimal128(38, 10), "decimal128_7": pa.decimal128(7, 2), "decimal256": pa.decimal256(60, 5),
}
NESTED = {
    "fsl_f32_4": pa.list_(pa.float32(), 4), "fsl_f32_64": pa.list_(pa.float32(), 64), "fsl_f32_200": pa.list_(pa.float32(), 200),
    "fsl_f16_8": pa.list_(pa.float16(), 8), "fsl_u8_16": pa.list_(pa.uint8(), 16), "fsl_i64_3": pa.list_(pa.int64(), 3),
    "fsl_bool_10": pa.list_(pa.bool_(), 10), "fsl_bool_16": pa.list_(pa.bool_(), 16),
    "fsl_bool_2400": pa.list_(pa.bool_(), 2400), "fsl_fsl": pa.list_(pa.list_(pa.float32(), 2), 3),
    "list_i32": pa.list_(pa.int32()), "list_string": pa.list_(pa.string()), "list_bool": pa.list_(pa.bool_()),
    "list_f64": pa.list_(pa.float64()), "large_list_i64": pa.large_list(pa.int64()), "list_list": pa.list_(pa.list_(pa.int32())),
    "list_list_list": pa.list_(pa.list_(pa.list_(pa.int16()))), "list_fsl": pa.list_(pa.list_(pa.float32(), 4)),
    "list_fsl_wide": pa.list_(pa.list_(pa.float32(), 100)),
    "struct": _struct(a=pa.int32(), b=pa.string()), "struct_deep": _struct(x=_struct(y=_struct(z=pa.int32()), w=pa.bool_()), v=pa.float64()),
    "struct_list": _struct(l=pa.list_(pa.int32()), s=pa.string()), "list_struct": pa.list_(_struct(a=pa.int32(), b=pa.string())),
    "struct_fsl": _struct(v=pa.list_(pa.float32(), 8), k=pa.int8()), "list_struct_list": pa.list_(_struct(a=pa.list_(pa.int16()), b=pa.int8())),
    "struct_strict": pa.struct([pa.field("a", pa.struct([pa.field("b", pa.bool_(), False)]), False), pa.field("s", pa.string(), False)]),
    "struct_dates": _struct(d=pa.date32(), t=pa.timestamp("us", "UTC"), n=pa.decimal128(20, 3)),
}
SINCE_22 = {
    "map_string_i32": pa.map_(pa.string(), pa.int32()), "map_list": pa.map_(pa.int64(), pa.list_(pa.string())),
    "list_map": pa.list_(pa.map_(pa.string(), pa.int8())), "fsl_struct": pa.list_(_struct(a=pa.int32(), b=pa.string()), 3),
    "packed_var": _struct(a=pa.uint32(), b=pa.string()),
}
OTHER = {
    "null": pa.null(), "dict_i8": pa.dictionary(pa.int8(), pa.string()), "dict_i32": pa.dictionary(pa.int32(), pa.string()),
    "dict_u16_i64": pa.dictionary(pa.uint16(), pa.int64()), "dict_i16_large": pa.dictionary(pa.int16(), pa.large_string()),
    "packed": _struct(a=pa.int32(), b=pa.float64(), c=pa.uint8()),
}
TYPES = {**PRIMITIVES, **NESTED, **SINCE_22, **OTHER}
METADATA = {"packed": PACKED, "packed_var": PACKED}


def mask(rng, how, n):
    m = np.zeros(n, bool)
    if how == "some":
        m = rng.random(n) < 0.25
    elif how == "all":
        m[:] = True
    elif how == "ends" and n:
        m[[0, -1]] = True
    return m


def shaped(rng, n, flavour, make):
    """n values by make(m): fresh ones, few distinct, runs, one, or in order."""
    if flavour == "few":
        pool = make(max(1, min(n, 7)))
        return pool[rng.integers(0, len(pool), n)]
    if flavour == "runs":
        return np.repeat(make(n // 50 + 1), 50)[:n]
    if flavour == "one":
        return np.repeat(make(1), n)
    if flavour == "sorted":
        return np.sort(make(n))
    return make(n)


def words(rng, n, flavour):
    if flavour == "long":
        return np.array([bytes(rng.integers(97, 105, int(k), dtype="u1")) * 3 for k in rng.integers(80, 200, n)] or [], object)
    if flavour == "huge":
        return np.array([b"tall story %d " % i * (4000 if i % 9 == 0 else 1) for i in range(n)], object)
    if flavour == "short":
        return np.array([b"%d" % x for x in rng.integers(0, 10**6, n)], object)
    some = [b"", b"alpha", "b\u00e9ta".encode(), b"graph", "\u65e5\u672c\u8a9e".encode(), b"https://example.org/path/"]
    out = np.empty(n, object)
    for i, (w, x) in enumerate(zip(rng.integers(0, len(some), n), rng.integers(0, 10**9, n))):
        out[i] = some[w] + (b"-%d" % x if x % 3 else b"")
    return out


def integers(rng, n, width, signed, flavour):
    if flavour == "small":
        return rng.integers(0, 100, n)
    if flavour == "negative":
        return rng.integers(-50, 50, n)
    bits = 8 * width
    raw = rng.integers(0, 2**bits, n, dtype=f"u{width}")
    return raw.view(f"i{width}") if signed else raw


def floats(rng, n, width, flavour):
    if flavour == "small":
        return (rng.integers(0, 8000, n) / 8).astype(f"f{width}")
    raw = rng.integers(0, 2 ** (8 * width), n, dtype=f"u{width}").view(f"f{width}")
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.5], f"f{width}")
    some = rng.random(n) < 0.2
    raw[some] = special[rng.integers(0, len(special), int(some.sum()))]
    return raw


LIMITS = {"time32[s]": 86400, "time32[ms]": 86400 * 10**3, "time64[us]": 86400 * 10**6, "time64[ns]": 86400 * 10**9}


def fixed(rng, typ, n, flavour):
    """Primitive values of a fixed width as a numpy array that views as the type."""
    width = typ.bit_width // 8
    if pa.types.is_floating(typ):
        return shaped(rng, n, flavour, lambda m: floats(rng, m, width, flavour))
    limit = LIMITS.get(str(typ))
    if limit:
        return shaped(rng, n, flavour, lambda m: rng.integers(0, limit, m).astype(f"i{width}"))
    if pa.types.is_date64(typ):
        return shaped(rng, n, flavour, lambda m: rng.integers(-10**5, 10**5, m) * 86400000)
    signed = not pa.types.is_unsigned_integer(typ)
    return shaped(rng, n, flavour, lambda m: integers(rng, m, width, signed, flavour).astype(f"{'i' if signed else 'u'}{width}"))


def bytes_array(rng, n, width, flavour, m):
    pool = shaped(rng, n, flavour, lambda k: np.array([rng.bytes(width) for _ in range(k)] or [], object))
    return pa.array([None if null else bytes(v) for v, null in zip(pool, m)], pa.binary(width))


def primitive(rng, typ, n, flavour, m):
    if pa.types.is_null(typ):
        return pa.nulls(n)
    if pa.types.is_boolean(typ):
        return pa.array(shaped(rng, n, flavour, lambda k: rng.random(k) < 0.5), mask=m)
    if pa.types.is_fixed_size_binary(typ) and not pa.types.is_decimal(typ):
        return bytes_array(rng, n, typ.byte_width, flavour, m)
    if pa.types.is_decimal(typ):
        top = 10 ** min(typ.precision, 18) - 1
        raw = shaped(rng, n, flavour, lambda k: rng.integers(-top, top, k))
        with decimal.localcontext() as c:
            c.prec = 100
            values = [None if null else decimal.Decimal(int(v)).scaleb(-typ.scale) for v, null in zip(raw, m)]
        return pa.array(values, typ)
    if any(is_kind(typ) for is_kind in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)):
        raw = shaped(rng, n, flavour, lambda k: words(rng, k, flavour))
        out = pa.array([None if null else v for v, null in zip(raw, m)], pa.large_binary())
        return out.cast(typ)
    raw = fixed(rng, typ, n, flavour)
    if pa.types.is_floating(typ):
        return pa.array(raw, typ, mask=m)
    plain = pa.array(raw, {8: pa.int8(), 16: pa.int16(), 32: pa.int32(), 64: pa.int64()}[typ.bit_width]
                     if raw.dtype.kind == "i" else None, mask=m)
    return plain if plain.type == typ else plain.view(typ)


def list_offsets(rng, n, m, width, long):
    lengths = rng.integers(0, 5, n) if not long else rng.integers(0, 2000, n) * (rng.random(n) < 0.02)
    lengths[m] = 0
    return pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(width))


def build(rng, typ, n, flavour, how, inner):
    """An array: `how` = nulls of this level, `inner` = nulls of the levels below."""
    m = mask(rng, how, n)
    if pa.types.is_dictionary(typ):
        pool = primitive(rng, typ.value_type, min(40, max(1, n)), "random", np.zeros(min(40, max(1, n)), bool))
        pool = pool.unique()
        keys = pa.array(shaped(rng, n, flavour, lambda k: rng.integers(0, len(pool), k)), mask=m).cast(typ.index_type)
        return pa.DictionaryArray.from_arrays(keys, pool)
    if pa.types.is_map(typ):
        offsets = list_offsets(rng, n, m, "int32", flavour == "long")
        count = offsets[-1].as_py()
        keys = build(rng, typ.key_type, count, flavour, "none", "none")
        items = build(rng, typ.item_type, count, flavour, inner, inner)
        plain = pa.MapArray.from_arrays(offsets, keys, items)
        return pa.Array.from_buffers(typ, n, [pa.array(~m).buffers()[1] if n else None, plain.buffers()[1]],
                                     null_count=int(m.sum()), children=[plain.values])
    if pa.types.is_list(typ) or pa.types.is_large_list(typ):
        wide = pa.types.is_large_list(typ)
        offsets = list_offsets(rng, n, m, "int64" if wide else "int32", flavour == "long")
        items = build(rng, typ.value_type, offsets[-1].as_py(), flavour, inner, inner)
        make = pa.LargeListArray if wide else pa.ListArray
        return make.from_arrays(offsets, items, type=typ, mask=pa.array(m))
    if pa.types.is_fixed_size_list(typ):
        items = build(rng, typ.value_type, n * typ.list_size, flavour, inner, inner)
        return pa.FixedSizeListArray.from_arrays(items, type=typ, mask=pa.array(m))
    if pa.types.is_struct(typ):
        kids = [build(rng, f.type, n, flavour, *((inner, inner) if f.nullable else ("none", "none"))) for f in typ]
        return pa.StructArray.from_arrays(kids, fields=list(typ), mask=pa.array(m))
    return primitive(rng, typ, n, flavour, m)


def column(name, n, nulls, flavour, seed):
    """The test column of a named type."""
    typ = TYPES[name]
    rng = np.random.default_rng([seed, n, NULLS.index(nulls), sum(map(ord, name + flavour))])
    nested = typ.num_fields > 0 and not pa.types.is_dictionary(typ)
    how = nulls if nulls != "inner" else "none" if nested else "ends"
    inner = {"none": "none", "some": "some", "all": "none", "inner": "some"}[nulls]
    if name.startswith("packed"):  # the engine stores no nulls of the fields
        inner, how = "none", {"inner": "ends"}.get(nulls, nulls)
    return build(rng, typ, n, flavour, how, inner)


# ---- comparing ------------------------------------------------------------------------------------------------------

def whole(a):
    if isinstance(a, pa.ChunkedArray):
        a = a.combine_chunks() if a.num_chunks != 1 else a.chunk(0)
        if isinstance(a, pa.ChunkedArray):
            a = pa.concat_arrays(a.chunks) if a.num_chunks else pa.array([], a.type)
    return a.dictionary_decode() if pa.types.is_dictionary(a.type) else a


def raw(a):
    """Floats by their bits, so that NaN and -0.0 count."""
    if pa.types.is_floating(a.type):
        return a.view({16: pa.uint16(), 32: pa.uint32(), 64: pa.uint64()}[a.type.bit_width])
    return a


def difference(a, b, where="value"):
    """None, or a text saying where two arrays of one type differ. What lies below a null does not count."""
    a, b = whole(a), whole(b)
    if len(a) != len(b):
        return f"{where}: {len(a)} against {len(b)}"
    if pa.types.is_null(a.type) and pa.types.is_null(b.type):
        return None
    va, vb = a.is_valid(), b.is_valid()
    if not va.equals(vb):
        k = int(np.flatnonzero(va.to_numpy(zero_copy_only=False) != vb.to_numpy(zero_copy_only=False))[0])
        return f"{where} {k}: {str(a[k])!r:.100} against {str(b[k])!r:.100}"
    if a.null_count:
        a, b = a.filter(va), b.filter(vb)
    t = a.type
    if pa.types.is_struct(t):
        for i in range(t.num_fields):
            why = difference(a.flatten()[i], b.flatten()[i], f"{where}.{t.field(i).name}")
            if why:
                return why
        return None
    if pa.types.is_fixed_size_list(t):
        return difference(a.flatten(), b.flatten(), f"{where}[]")
    if pa.types.is_list(t) or pa.types.is_large_list(t) or pa.types.is_map(t):
        if pa.types.is_map(t):
            a, b = as_list(a), as_list(b)
        la, lb = a.value_lengths(), b.value_lengths()
        if not la.equals(lb):
            k = int(np.flatnonzero(la.to_numpy() != lb.to_numpy())[0])
            return f"{where} {k}: list of {la[k]} against {lb[k]}"
        return difference(a.flatten(), b.flatten(), f"{where}[]")
    if a.type == b.type and raw(a).equals(raw(b)):
        return None
    if a.type != b.type:
        return f"{where}: type {a.type} against {b.type}"
    x, y = raw(a), raw(b)
    k = next(i for i in range(len(x)) if x[i] != y[i])
    return f"{where}: of the non-null ones, {k}: {str(a[k])!r:.100} against {str(b[k])!r:.100}"


def as_list(m):
    """A map array as a list of its entries."""
    return pa.ListArray.from_arrays(m.offsets, pa.StructArray.from_arrays([m.keys, m.items], ["k", "v"]))

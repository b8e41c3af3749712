"""Random Arrow columns of every type, and exact comparison of tables: nulls, lengths, the bits of floats."""
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

SCALARS = {
    "string": pa.string(), "bool": pa.bool_(), "i32": pa.int32(), "i64": pa.int64(), "u32": pa.uint32(),
    "u64": pa.uint64(), "f32": pa.float32(), "f64": pa.float64(), "date32": pa.date32(), "date64": pa.date64(),
    "enum": pa.string(),
}
VECTORS = {f"fsl{n}": pa.list_(pa.float32(), n) for n in (3, 63, 64, 128, 300)}
LISTS = {f"list<{k}>": pa.list_(t) for k, t in SCALARS.items()}
TYPES = {**SCALARS, **VECTORS, **LISTS}
PATTERNS = ("whole", "part", "empty", "ends", "must")  # the nullable columns of a case, and the required one
SPECIAL = {
    "f": [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-310, 1e-42, 1.5, -1e30],
    "i": [0, 1, -1],
}
INT_RANGE = {"i32": (-2**31, 2**31), "i64": (-2**63, 2**63), "u32": (0, 2**32), "u64": (0, 2**64)}


def nulls(rng, pattern, n):
    """True where a row is null."""
    m = np.zeros(n, bool)
    if pattern == "part":
        m = rng.random(n) < 0.3
    elif pattern == "empty":
        m[:] = True
    elif pattern == "ends" and n:
        m[[0, -1]] = True
    return m


def spread(rng, n, make, flavour):
    """n values: fresh ones, few distinct ones, runs of equal ones, or one."""
    if flavour == "few":
        pool = make(max(1, min(n, 9)))
        return pool[rng.integers(0, len(pool), n)]
    if flavour == "runs":
        pool = make(n // 50 + 1)
        return np.repeat(pool, 50)[:n]
    if flavour == "one":
        return np.repeat(make(1), n)
    return make(n)


def texts(rng, n):
    words = np.array(["", "alpha", "béta", "graph", "日本語", "lance lance lance", "O'Hara", "x" * 300][:7 + (n < 100000)], object)
    out = words[rng.integers(0, len(words), n)]
    tail = rng.random(n) < 0.5
    out[tail] = [f"{w}-{k}" for w, k in zip(out[tail], rng.integers(0, 10**9, int(tail.sum())))]
    for i in rng.integers(0, n, 2 if n > 100 else 0):
        out[i] = "long " * int(rng.integers(0, 3000))
    return out


def floats(rng, n, bits, plain):
    if plain:
        return (rng.integers(-8000, 8000, n) / 8).astype(f"f{bits // 8}")
    raw = rng.integers(0, 2**bits, n, dtype=f"u{bits // 8}").view(f"f{bits // 8}")  # every bit pattern, NaNs with payload
    some = rng.random(n) < 0.2
    with np.errstate(all="ignore"):
        raw[some] = np.array(SPECIAL["f"], f"f{bits // 8}")[rng.integers(0, len(SPECIAL["f"]), int(some.sum()))]
    return raw


def numbers(rng, n, kind):
    low, high = INT_RANGE[kind]
    dtype = {"i": "int", "u": "uint"}[kind[0]] + kind[1:]
    if rng.random() < 0.5:
        return rng.integers(max(low, -500), 500, n).astype(dtype)
    out = rng.integers(low, high - 1, n, dtype=dtype, endpoint=True)
    if n:
        out[rng.integers(0, n)] = low
        out[rng.integers(0, n)] = high - 1
    return out


def values(rng, kind, n, flavour, plain):
    """A numpy array of n values of a scalar kind."""
    if kind == "bool":
        return spread(rng, n, lambda m: rng.random(m) < 0.5, flavour)
    if kind == "string":
        return spread(rng, n, lambda m: texts(rng, m), flavour)
    if kind == "enum":
        return np.array(["real", "virtual", "missing"], object)[rng.integers(0, 3, n)]
    if kind in ("f32", "f64"):
        return spread(rng, n, lambda m: floats(rng, m, int(kind[1:]), plain), flavour)
    if kind == "date32":
        return spread(rng, n, lambda m: rng.integers(-100000, 100000, m).astype("int32"), flavour)
    if kind == "date64":
        return spread(rng, n, lambda m: rng.integers(-10**13, 10**13, m), flavour)
    return spread(rng, n, lambda m: numbers(rng, m, kind), flavour)


def column(rng, kind, n, pattern, plain=False, items="part"):
    """An Arrow array of type TYPES[kind]; `plain` leaves out NaN, -0.0 and infinities; items: their null pattern."""
    flavour = rng.choice(["fresh", "few", "runs", "one", "fresh"])
    mask = nulls(rng, pattern, n)
    if kind.startswith("list<"):
        child = kind[5:-1]
        lengths = rng.integers(0, 5, n) if rng.random() < 0.8 else rng.integers(0, 60, n) * (rng.random(n) < 0.1)
        if pattern != "must":
            lengths[mask] = 0
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype("int32")
        items = column(rng, child, int(offsets[-1]), "whole" if pattern == "must" else items, plain)
        return pa.ListArray.from_arrays(pa.array(offsets), items, mask=pa.array(mask))
    if kind.startswith("fsl"):
        width = int(kind[3:])
        items = pa.array(values(rng, "f32", n * width, flavour, plain), pa.float32())
        return pa.FixedSizeListArray.from_arrays(items, width, mask=pa.array(mask))
    raw = values(rng, kind, n, flavour, plain)
    typ = SCALARS[kind]
    if kind in ("date32", "date64"):
        return pa.array(raw, pa.int32() if kind == "date32" else pa.int64(), mask=mask).view(typ)
    return pa.array(raw, typ, mask=mask)


def schema_of(kind, patterns=PATTERNS):
    fields = [pa.field("id", pa.int64(), nullable=False)]
    return pa.schema(fields + [pa.field(p, TYPES[kind], nullable=p != "must") for p in patterns])


def rows(rng, kind, first, n, patterns=PATTERNS):
    """A table of one kind: id, and a column per null pattern. `part` is what filters look at: plain numbers."""
    cols = [pa.array(np.arange(first, first + n))]
    cols += [column(rng, kind, n, p, plain=p == "part") for p in patterns]
    return pa.Table.from_arrays(cols, schema=schema_of(kind, patterns))


def one_chunk(a):
    if isinstance(a, pa.ChunkedArray):
        return a.combine_chunks() if a.num_chunks != 1 else a.chunk(0)
    return a


def first_difference(a, b):
    """None, or a text. a, b: arrays of one type."""
    a, b = one_chunk(a), one_chunk(b)
    if a.type != b.type:
        return f"type {a.type} against {b.type}"
    if len(a) != len(b):
        return f"{len(a)} against {len(b)} values"
    if not a.is_valid().equals(b.is_valid()):
        k = pc.index(pc.not_equal(a.is_valid(), b.is_valid()), True).as_py()
        return f"value {k}: {a[k].as_py()!r:.80} against {b[k].as_py()!r:.80}"
    if a.null_count:
        a, b = a.drop_null(), b.drop_null()
    if pa.types.is_list(a.type) or pa.types.is_fixed_size_list(a.type):
        if not pc.list_value_length(a).equals(pc.list_value_length(b)):
            return "list lengths differ"
        return first_difference(a.flatten(), b.flatten())
    if pa.types.is_floating(a.type):
        bits = pa.uint32() if a.type.bit_width == 32 else pa.uint64()
        a, b = a.view(bits), b.view(bits)
    if a.equals(b):
        return None
    k = pc.index(pc.not_equal(a, b), True).as_py()
    return f"of the non-null values, {k}: {a[k].as_py()!r:.80} against {b[k].as_py()!r:.80}"


def tables_differ(ours, theirs, nullable=True):
    """None, or what differs first. Metadata does not count."""
    if ours.column_names != theirs.column_names:
        return f"columns {ours.column_names} against {theirs.column_names}"
    for f, g in zip(ours.schema, theirs.schema):
        if f.type != g.type or (nullable and not f.name.startswith("_row") and f.nullable != g.nullable):
            return f"field {f} against {g}"
    if ours.num_rows != theirs.num_rows:
        return f"{ours.num_rows} against {theirs.num_rows} rows"
    for name in ours.column_names:
        why = first_difference(ours.column(name), theirs.column(name))
        if why:
            return f"{name}: {why}"
    return None

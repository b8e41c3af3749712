#!/usr/bin/env python3
"""Data files of arbitrary nested types and values, both ways, with shrinking: ours to the real engine and back.

    file_property.py [--examples N] [--seed N]         (INARCH_LIBRARY; needs hypothesis, pylance, pyarrow)
"""
import argparse
import collections
import decimal
import os
import sys
import tempfile
import time

os.environ.setdefault("LANCE_LOG", "error")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.environ.get("INARCH_PYTHON") or os.path.join(HERE, "..", "..", "python")]
import hypothesis  # noqa: E402
import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from lance.file import LanceFileReader, LanceFileWriter  # noqa: E402

import file_types as ft  # noqa: E402
import inarch  # noqa: E402

LAST = [""]
DONE, REFUSED = collections.Counter(), collections.Counter()
LEAVES = [t for k, t in ft.PRIMITIVES.items() if k != "fsb300"] + [pa.null()]
FIXED_ITEMS = [pa.float32(), pa.float64(), pa.float16(), pa.int8(), pa.uint8(), pa.int32(), pa.int64(), pa.bool_()]
KEYS = [pa.string(), pa.int64(), pa.binary(), pa.int16()]
NAMES = ["a", "b", "c", "d"]


def fields(child):
    return st.lists(st.tuples(child, st.booleans()), min_size=1, max_size=4).map(
        lambda kids: pa.struct([pa.field(n, t, null or pa.types.is_null(t)) for n, (t, null) in zip(NAMES, kids)]))


def lists(child, make):
    return st.tuples(child, st.booleans()).map(lambda x: make(pa.field("item", x[0], x[1] or pa.types.is_null(x[0]))))


def vectors():
    return st.tuples(st.sampled_from(FIXED_ITEMS), st.integers(1, 90)).map(lambda x: pa.list_(x[0], x[1]))


def types(version):
    """Types that files of a version can hold."""
    leaf = st.one_of(st.sampled_from(LEAVES), vectors(), st.sampled_from(
        [pa.dictionary(k, v) for k in (pa.int8(), pa.int32(), pa.uint16()) for v in (pa.string(), pa.int64())]))

    def nest(child):
        out = [fields(child), lists(child, pa.list_), lists(child, pa.large_list)]
        if version >= "2.2":
            out.append(st.tuples(st.sampled_from(KEYS), child).map(lambda x: pa.map_(*x)))
            out.append(st.tuples(fields(leaf), st.integers(1, 4)).map(lambda x: pa.list_(x[0], x[1])))
        return st.one_of(out)

    return st.recursive(leaf, nest, max_leaves=6)


def whole_numbers(typ):
    signed = not pa.types.is_unsigned_integer(typ)
    bits = typ.bit_width - signed
    wide = st.integers(-(2**bits) if signed else 0, 2**bits - 1)
    return st.one_of(st.integers(0, min(100, 2**bits - 1)), wide)


def scalars(typ):
    if pa.types.is_boolean(typ):
        return st.booleans()
    if pa.types.is_floating(typ):
        return st.floats(width=typ.bit_width).map(lambda x: np.float16(x) if typ.bit_width == 16 else x)
    if pa.types.is_decimal(typ):
        return st.integers(-(10**typ.precision) + 1, 10**typ.precision - 1).map(
            lambda x: decimal.Decimal(x).scaleb(-typ.scale, decimal.Context(prec=100)))
    if pa.types.is_string(typ) or pa.types.is_large_string(typ):
        return st.one_of(st.text(max_size=12), st.sampled_from(["x" * 300, "long " * 8000]) if typ == pa.string() else st.text(max_size=40))
    if pa.types.is_fixed_size_binary(typ):
        return st.binary(min_size=typ.byte_width, max_size=typ.byte_width)
    if pa.types.is_binary(typ) or pa.types.is_large_binary(typ):
        return st.binary(max_size=20)
    if pa.types.is_date64(typ):
        return st.integers(-10**4, 10**4).map(lambda d: d * 86400000)
    if str(typ) in ft.LIMITS:
        return st.integers(0, ft.LIMITS[str(typ)] - 1)
    return whole_numbers(typ)


def values(typ, nullable=True):
    """Python values of a type, None among them where it may be."""
    if pa.types.is_null(typ):
        return st.none()
    if pa.types.is_dictionary(typ):
        s = scalars(typ.value_type) if not pa.types.is_string(typ.value_type) else st.sampled_from(["", "red", "green", "blue"])
        s = st.sampled_from([1, 2, 3, 2**40]) if pa.types.is_integer(typ.value_type) else s
    elif pa.types.is_struct(typ):
        s = st.fixed_dictionaries({f.name: values(f.type, f.nullable) for f in typ})
    elif pa.types.is_map(typ):
        s = st.lists(st.tuples(scalars(typ.key_type), values(typ.item_type)), max_size=3, unique_by=lambda kv: kv[0])
    elif pa.types.is_fixed_size_list(typ):
        s = vector(typ)
    elif pa.types.is_list(typ) or pa.types.is_large_list(typ):
        s = st.lists(values(typ.value_type, typ.value_field.nullable), max_size=4)
    else:
        s = scalars(typ)
    return st.one_of(st.none(), s) if nullable else s


def vector(typ):
    n, item = typ.list_size, typ.value_type
    if pa.types.is_struct(item):
        return st.lists(values(item, typ.value_field.nullable), min_size=n, max_size=n)
    one = values(item, typ.value_field.nullable)
    return st.lists(one, min_size=1, max_size=4).map(lambda v: (v * n)[:n])


@st.composite
def tables(draw, version):
    """A table of up to three columns: a few drawn rows, repeated so that larger pages and chunks occur, in batches."""
    n, times = draw(st.integers(1, 8)), draw(st.sampled_from([1, 1, 2, 40, 300]))
    cols, schema = [], []
    for k in range(draw(st.integers(1, 3))):
        typ = draw(types(version))
        null = draw(st.booleans()) or pa.types.is_null(typ)
        few = draw(st.lists(values(typ, null), min_size=n, max_size=n))
        a = pa.array(few, typ)
        heavy = a.nbytes * times > 4_000_000
        cols.append(pa.concat_arrays([a] * (1 if heavy else times)) if times > 1 else a)
        schema.append(pa.field(f"c{k}", typ, null))
    rows = min(len(c) for c in cols)
    return pa.table([c.slice(0, rows) for c in cols], schema=pa.schema(schema))


def differs(got, want):
    for name in want.column_names:
        why = ft.difference(got[name], want[name], name)
        if why:
            return why
    return None


def engine(call):
    """What the engine gives, or None when it refuses or panics."""
    try:
        return call()
    except BaseException as e:
        if isinstance(e, (KeyboardInterrupt, SystemExit)):
            raise
        text = (str(e) or type(e).__name__).splitlines()[0]
        REFUSED[f"engine: {text[:70]}"] += 1
        LAST[0] = text
        return None


def write_theirs(path, t, version):
    with LanceFileWriter(path, t.schema, version=version) as w:
        w.write_batch(t)
    return True


def readable(path):
    """Whether we read a file that the engine wrote and cannot read itself."""
    try:
        with inarch.open_file(path) as f:
            f.verify()
        return True
    except inarch.Error as e:
        REFUSED[f"both readers: {str(e).split(': ', 1)[1][:60]}"] += 1
        return False


def write_ours(path, t, **options):
    """False when we refuse the types by name: the engine cannot hold them either."""
    try:
        inarch.write_file(path, t, **options)
        return True
    except inarch.Error as e:
        if e.code != "unsupported" or engine(lambda: write_theirs(path + ".own", t, options["version"])
                                             and LanceFileReader(path + ".own").read_all().to_table()) is not None:
            raise
        REFUSED[f"ours: {str(e).split(': ', 1)[1][-60:]}"] += 1
        return False


def theirs_to_ours(version):
    def run(data):
        t = data.draw(tables(version))
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "t.lance")
            hypothesis.assume(engine(lambda: write_theirs(path, t, version)))
            want = engine(lambda: LanceFileReader(path).read_all().to_table())
            hypothesis.assume(want is not None or readable(path))
            want = t if want is None else want
            with inarch.open_file(path) as f:
                assert f.verify() == t.num_rows
                got = pa.table(f.scan(batch_rows=data.draw(st.sampled_from([0, 7, 100]))))
                assert got.num_rows == t.num_rows
                assert not differs(got, want), differs(got, want)
                at = data.draw(st.lists(st.integers(0, t.num_rows - 1), min_size=1, max_size=6))
                assert not differs(pa.table(f.take(at)), want.take(at)), differs(pa.table(f.take(at)), want.take(at))
        DONE["theirs", version] += 1
    return run


def ours_to_theirs(version):
    def run(data):
        t = data.draw(tables(version))
        page, encoding = data.draw(st.sampled_from([0, 0, 500, 20000])), data.draw(st.sampled_from([None, None, "rle", "flat", "fsst", "fullzip"]))
        compression = data.draw(st.sampled_from([None, None, "lz4", "zstd"]))
        if "fixed_size_list<item: struct" in str(t.schema):
            page = 0  # the engine counts the rows of several such pages wrong when one has no values
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "t.lance")
            hypothesis.assume(write_ours(path, t, version=version, page_bytes=page, encoding=encoding, compression=compression))
            with inarch.open_file(path) as f:
                assert not differs(pa.table(f.scan()), t), differs(pa.table(f.scan()), t)
            got = engine(lambda: LanceFileReader(path).read_all().to_table())
            if got is None:  # its own file of these rows, too?
                own = os.path.join(place, "own.lance")
                why = LAST[0]
                assert engine(lambda: write_theirs(own, t, version) and LanceFileReader(own).read_all().to_table()) is None, why
                hypothesis.assume(False)
            assert not differs(got, t), differs(got, t)
            at = sorted(set(data.draw(st.lists(st.integers(0, t.num_rows - 1), min_size=1, max_size=6))))
            got = engine(lambda: LanceFileReader(path).take_rows(at).to_table())
            if got is None:
                own = os.path.join(place, "own.lance")
                why = LAST[0]
                assert engine(lambda: write_theirs(own, t, version) and LanceFileReader(own).take_rows(at).to_table()) is None, why
                hypothesis.assume(False)
            assert not differs(got, t.take(at)), differs(got, t.take(at))
        DONE["ours", version] += 1
    return run


def prove(name, run, examples, seed):
    checks = hypothesis.settings(max_examples=examples, deadline=None, database=None, print_blob=True,
                                 suppress_health_check=list(hypothesis.HealthCheck))
    try:
        hypothesis.seed(seed)(checks(hypothesis.given(st.data())(run)))()
    except Exception as e:
        print(f"FAILED {name}: {e}")
        for note in getattr(e, "__notes__", []):
            print("  ", note[:1500])
        return False
    return True


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--examples", type=int, default=2000, help="of each direction")
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the engine prints a page for each of its panics
    start, ok = time.time(), True
    for make, versions in (theirs_to_ours, ("2.0", "2.1", "2.2")), (ours_to_theirs, ("2.1", "2.2")):
        for k, v in enumerate(versions):
            share = args.examples // len(versions) + (k == 0) * (args.examples % len(versions))
            ok &= prove(f"{make.__name__} {v}", make(v), share, args.seed)
    print(f"{sum(n for (d, _), n in DONE.items() if d == 'theirs')} examples theirs to ours, "
          f"{sum(n for (d, _), n in DONE.items() if d == 'ours')} ours to theirs, {time.time() - start:.0f} s")
    for why, n in REFUSED.most_common(12):
        print(f"  not counted: {n} x {why}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())

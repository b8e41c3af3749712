#!/usr/bin/env python3
"""Parts of data files: nested fields, row ranges, takes in any order; files of the real engine and of ours.

    file_parts.py [--count N] [--seed N]        (INARCH_LIBRARY)

Rows of random nested types are written once by each; what is asked for is cut out of the rows in memory for comparison.
The descriptions of pages are those of the independent dump.
"""
import argparse
import os
import random
import sys
import tempfile

os.environ.setdefault("LANCE_LOG", "error")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.environ.get("INARCH_PYTHON") or os.path.join(HERE, "..", "..", "python")]
import pyarrow as pa  # noqa: E402
from lance.file import LanceFileWriter  # noqa: E402

import file_dump  # noqa: E402
import inarch  # noqa: E402

LEAVES = (pa.int8(), pa.int64(), pa.float32(), pa.bool_(), pa.string(), pa.large_binary(), pa.decimal128(12, 2), pa.list_(pa.float32(), 3),
          pa.timestamp("us", "UTC"), pa.list_(pa.int32()), pa.list_(pa.list_(pa.string())))


def random_type(rng, version, depth):
    kind = rng.random()
    if depth == 0 or kind < 0.3:
        return rng.choice(LEAVES)
    if kind < 0.65:
        names = rng.sample(["a", "b", "c", "d.e", "d", "f"], rng.randint(1, 4))
        return pa.struct([pa.field(n, random_type(rng, version, depth - 1)) for n in names])
    inner = random_type(rng, version, depth - 1)
    if kind < 0.9:
        return (pa.list_ if rng.random() < 0.7 else pa.large_list)(inner)
    if version == "2.2" and pa.types.is_struct(inner):
        return pa.list_(inner, 2) if kind < 0.95 else pa.map_(pa.string(), inner)
    return pa.list_(inner)


def value(rng, t, version, top=False):
    # Format 2.0 has no place for the nulls of a struct, and no other has one for those of a fixed-size list of structs.
    can_be_null = not (version == "2.0" and pa.types.is_struct(t)) and not (pa.types.is_fixed_size_list(t) and pa.types.is_struct(t.value_type))
    if can_be_null and rng.random() < 0.15:
        return None
    if pa.types.is_struct(t):
        return {f.name: value(rng, f.type, version) for f in t}
    if pa.types.is_map(t):
        return [(f"k{i}", value(rng, t.item_type, version)) for i in range(rng.randint(0, 3))]
    if pa.types.is_fixed_size_list(t):
        return [value(rng, t.value_type, version) for _ in range(t.list_size)]
    if pa.types.is_list(t) or pa.types.is_large_list(t):
        return [value(rng, t.value_type, version) for _ in range(rng.choice((0, 0, 1, 2, 5)))]
    if pa.types.is_string(t):
        return "".join(rng.choice("abcåß") for _ in range(rng.choice((0, 3, 3, 40))))
    if pa.types.is_large_binary(t):
        return rng.randbytes(rng.choice((0, 5, 300)))
    if pa.types.is_boolean(t):
        return rng.random() < 0.5
    if pa.types.is_float32(t):
        return rng.randint(-1000, 1000) / 8
    if pa.types.is_decimal(t):
        return rng.randint(-10**6, 10**6)
    return rng.randint(-128, 127)


def paths_of(t, prefix):
    """(path, steps) of every field below; steps are what to do with a value to cut it down."""
    yield prefix, ()
    if pa.types.is_struct(t):
        for f in t:
            for path, steps in paths_of(f.type, f"{prefix}.{f.name}"):
                yield path, (f.name,) + steps
    elif pa.types.is_list(t) or pa.types.is_large_list(t) or pa.types.is_fixed_size_list(t):
        for style in (prefix, f"{prefix}.{t.value_field.name}"):
            for path, steps in paths_of(t.value_type, style):
                if steps or path != prefix:
                    yield path, (None,) + steps


def keep(v, tree):
    """v with only the fields of the tree: {} = all of it."""
    if v is None or not tree:
        return v
    if None in tree:
        return [keep(x, tree[None]) for x in v]
    return {k: keep(x, tree[k]) for k, x in v.items() if k in tree}


def plant(tree, steps):
    """Adds a path to the tree of one column."""
    for s in steps:
        if tree.get("whole"):
            return
        tree = tree.setdefault("kids", {}).setdefault(s, {})
    tree["whole"] = True


def plain(tree):
    return {} if tree.get("whole") else {k: plain(t) for k, t in tree["kids"].items()}


def check(rng, path, rows, schema, version):
    choices = [(p, f.name, s) for f in schema for p, s in paths_of(f.type, f.name)]
    with inarch.open_file(path) as f:
        assert pa.table(f.scan()).to_pylist() == rows, "all rows"
        for _ in range(6):
            asked = rng.sample(choices, min(len(choices), rng.randint(1, 4)))
            trees = {}
            for _, name, steps in asked:
                plant(trees.setdefault(name, {}), steps)
            columns = [p for p, _, _ in asked]
            want = [{k: keep(r[k], plain(t)) for k, t in trees.items()} for r in rows]
            begin = rng.randint(0, len(rows) - 1)
            end = rng.randint(begin + 1, len(rows))
            threads = rng.choice((1, 2, 3))
            got = pa.table(f.scan(columns, begin=begin, end=end, batch_rows=rng.choice((0, 1, 7, 100)), threads=threads))
            assert got.to_pylist() == want[begin:end], ("scan", columns, begin, end, threads)
            assert got.column_names == list(trees), (columns, got.column_names)
            at = [rng.randrange(len(rows)) for _ in range(rng.randint(0, 30))]
            got = pa.table(f.take(at, columns, threads=threads)).to_pylist()
            assert got == [want[i] for i in at], ("take", columns, at)
        assert f.verify() == len(rows)
        pages = [[p["text"] for p in c["pages"]] for c in f.describe()["columns"]]
        assert pages == [[p.text for p in c] for c in file_dump.File(path).columns], ("description", pages)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    done = 0
    with tempfile.TemporaryDirectory() as work:
        for seed in range(args.seed, args.seed + args.count):
            rng = random.Random(seed)
            version = rng.choice(("2.0", "2.1", "2.2"))
            fields = [pa.field(n, random_type(rng, version, rng.randint(0, 3))) for n in ("x", "y", "z")[:rng.randint(1, 3)]]
            schema = pa.schema(fields)
            source = [{f.name: value(rng, f.type, version) for f in fields} for _ in range(rng.choice((1, 20, 300)))]
            table = pa.Table.from_pylist(source, schema=schema)
            for writer in ("theirs", "ours"):
                path = os.path.join(work, f"{seed}{writer}.lance")
                try:
                    if writer == "theirs":
                        with LanceFileWriter(path, schema, version=version) as w:
                            w.write_batch(table)
                    elif version == "2.0":
                        continue
                    else:
                        inarch.write_file(path, table, version=version, page_bytes=rng.choice((0, 2000)))
                    check(rng, path, table.to_pylist(), schema, version)
                    done += 1
                except Exception:
                    print(f"seed {seed}, {writer}, version {version}, schema {schema}", file=sys.stderr)
                    raise
                finally:
                    if os.path.exists(path):
                        os.unlink(path)
    print(f"{done} files agreed in their parts")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Every table at every published version of a graph, on every branch, in the real engine: rows equal the export.

    engine_tables.py GRAPH        (needs pylance and pyarrow; prints what it opened)
"""
import datetime
import json
import os
import sys

import lance
import numpy as np
import pyarrow as pa

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "python"))
import inarch  # noqa: E402

EPOCH = datetime.date(1970, 1, 1)


def plain(value, kind):
    """A value of the engine in the form of `inarch export`: dates as days, instants as milliseconds."""
    if value is None:
        return None
    if pa.types.is_date32(kind):
        return (value - EPOCH).days
    if pa.types.is_date64(kind):
        return (value - EPOCH).days * 86400000 if not isinstance(value, datetime.datetime) else int(value.timestamp() * 1000)
    if pa.types.is_float32(kind):
        return float(str(np.float32(value)))  # the fewest digits, as the export has them
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        return [plain(v, kind.value_type) for v in value]
    return value


def engine_rows(table):
    """id -> row of an Arrow table."""
    for k, f in enumerate(table.schema):  # a date64 loses its time of day on the way to Python: take the number
        if pa.types.is_date64(f.type):
            table = table.set_column(k, f.name, table.column(k).cast(pa.int64()))
    kinds = {f.name: f.type for f in table.schema}
    out = {}
    for row in table.to_pylist():
        out[row["id"]] = {k: plain(v, kinds[k]) for k, v in row.items()}
    if len(out) != table.num_rows:
        raise AssertionError("the engine reads an id twice")
    return out


def export_rows(g, commit):
    """type key -> id -> row, from `inarch export`."""
    out = {}
    for line in g.export(commit).splitlines():
        x = json.loads(line)
        row = dict(x["data"])
        if "edge" in x:
            row.update(src=x["from"], dst=x["to"])
        out.setdefault(("edge:" if "edge" in x else "node:") + (x.get("type") or x["edge"]), {})[row["id"]] = row
    return out


def same(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return a == b or (a != a and b != b)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return a == b


def rows_differ(a, b):
    if a.keys() != b.keys():
        return f"ids differ: {sorted(a.keys() ^ b.keys())[:3]}"
    for i in a:
        if a[i].keys() != b[i].keys() or not all(same(a[i][k], b[i][k]) for k in a[i]):
            return f"{i}: {a[i]} against {b[i]}"
    return None


def open_version(path, branch, version):
    if branch:
        return lance.dataset(path).checkout_version((branch, version))
    return lance.dataset(path, version=version)


def commits_of(g):
    """Every commit reachable from any branch."""
    seen = {}
    for b in g.branches():
        for c in g.commits(b):
            seen[c["id"]] = c
    return sorted(seen)


def check_graph(path, limit=0, commits=None, opened=None):
    """Raises on the first difference; returns how many table versions were opened.
    commits: instead of those reachable from a branch. opened: a set that gets (directory, Lance branch, version)."""
    opened = set() if opened is None else opened
    with inarch.open(path) as g:
        commits = commits or commits_of(g)
        for commit in commits[-limit:] if limit else commits:
            want = None
            for t in g.snapshot(commit)["tables"]:
                key = (t["path"], t["lance_branch"], t["lance_version"])
                if key in opened:
                    continue
                if want is None:
                    want = export_rows(g, commit)
                ds = open_version(*key)
                ds.validate()
                got = engine_rows(ds.to_table())
                why = rows_differ(want.get(f"{t['kind']}:{t['type']}", {}), got)
                if why:
                    raise AssertionError(f"{key} at commit {commit}: {why}")
                opened.add(key)
    return len(opened)


if __name__ == "__main__":
    n = check_graph(sys.argv[1])
    print(f"{n} table versions open in pylance {lance.__version__} and equal the export")

#!/usr/bin/env python3
"""open_all.py - opens every Lance table below a directory with the real engine, all branches and versions, and reads it.

Usage: tests/fault/open_all.py DIR      (DIR as left behind by "test_cut --dir DIR")

Each version of main and of each branch must open, count and scan alike; a last append must work on every main.
"""
import pathlib
import sys

import lance


def read(dataset, what):
    rows = dataset.to_table()
    assert rows.num_rows == dataset.count_rows(), what
    ids = rows.column("id").to_pylist()
    assert len(set(ids)) == len(ids), (what, ids)
    return rows


def check(path):
    main = lance.dataset(str(path))
    seen = 0
    for version in main.versions():
        read(lance.dataset(str(path), version=version["version"]), (path, version))
        seen += 1
    for name in main.branches.list():
        branch = main.checkout_version((name, None))
        for version in branch.versions():
            read(main.checkout_version((name, version["version"])), (path, name, version))
            seen += 1
    tags = main.tags.list()
    assert "inarch-hold-main" in tags, (path, tags)
    for name in main.branches.list():
        assert f"inarch-hold-{name}" in tags, (path, name, tags)
    rows = main.to_table()
    before = rows.num_rows
    lance.write_dataset(rows.slice(0, 0), str(path), mode="append")
    assert lance.dataset(str(path)).count_rows() == before
    return seen


def main():
    graphs = sorted(pathlib.Path(sys.argv[1]).glob("*/my.graph"))
    assert graphs, "no graphs found"
    tables = versions = 0
    for graph in graphs:
        for table in sorted(graph.glob("*.lance")):
            try:
                versions += check(table)
            except Exception:
                print(f"failed: {table}", file=sys.stderr)
                raise
            tables += 1
    print(f"{len(graphs)} graphs, {tables} tables, {versions} versions read by lance {lance.__version__}")


main()

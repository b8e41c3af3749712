#!/usr/bin/env python3
"""Grafts of one Lance branch into another, written by us, read, continued, compacted and cleaned by the real engine.

    table_graft.py TABLE_TOOL [SEED [HISTORIES]]     (needs pylance and pyarrow)
"""
import datetime
import os
import random
import shutil
import sys
import tempfile

import lance

from table_random import SCHEMA, VIRTUAL, Tool, arrow_table, engine_rows, make_rows, same


def by_id(rows):
    out = {r["id"]: {k: v for k, v in r.items() if k not in VIRTUAL} for r in rows}
    assert len(out) == len(rows), "an id occurs twice"
    return out


def open_at(root, branch):
    ds = lance.dataset(root)
    return ds.checkout_version((branch, None)) if branch else ds


def change(tool, rng, root, branch, first, only_append):
    at = dict(root=root, **({"branch": branch} if branch else {}))
    engine = rng.random() < 0.5
    op = "append" if only_append else rng.choice(["append", "delete", "update"])
    if op == "append":
        rows = make_rows(rng, first, rng.choice([1, 5]))
        if engine:
            lance.write_dataset(arrow_table(rows), open_at(root, branch), mode="append")
        else:
            tool.do(op="append", rows=rows, **at)
    elif op == "delete":
        where = f"id = {rng.randrange(30)} OR id = {rng.randrange(30)}"
        open_at(root, branch).delete(where) if engine else tool.do(op="delete", where=where, **at)
    else:
        where = f"id = {rng.randrange(30)} OR id = {rng.randrange(30)}"
        if engine:
            open_at(root, branch).update({"s": f"'v{first}'"}, where=where)
        else:
            tool.do(op="update", where=where, set={"s": f"v{first}"}, **at)


def agree(tool, root, branch):
    ds = open_at(root, branch)
    theirs = engine_rows(ds)
    at = dict(root=root, **({"branch": branch} if branch else {}))
    same(tool.do(op="scan", columns=[n for n, _, _ in SCHEMA] + VIRTUAL, **at)["rows"], theirs, f"rows of {branch}")
    return theirs


def history(tool, seed, place):
    rng = random.Random(seed)
    root = os.path.join(place, f"g{seed}.lance")
    how = rng.choice(["link", "reference", "copy"])
    tool.do(op="create", root=root, schema=[{"name": n, "type": t, "nullable": n != "id"} for n, t, _ in SCHEMA])
    tool.do(op="append", root=root, rows=make_rows(rng, 0, 20))
    tool.do(op="append", root=root, rows=make_rows(rng, 20, 10))
    for k in range(1, 4):
        fork = f"f{k}.x"
        tool.do(op="fork", root=root, name=fork, row_id_base=k << 40)
        base = by_id(agree(tool, root, None))
        for n in range(rng.randrange(1, 5)):
            change(tool, rng, root, fork, 1000 * k + 10 * n, False)
        for n in range(rng.randrange(3)):
            change(tool, rng, root, None, 5000 * k + 10 * n, True)
        side, trunk = by_id(agree(tool, root, fork)), by_id(agree(tool, root, None))
        want = {i: r for i, r in trunk.items() if i in side or i not in base}
        want.update({i: r for i, r in side.items() if r != base.get(i)})
        tool.do(op="graft", root=root, how=how, **{"from": fork})
        got = by_id(agree(tool, root, None))
        assert got == want, f"seed {seed}: {set(got) ^ set(want)} {[i for i in got if got[i] != want.get(i)]}"
        if how != "reference" and rng.random() < 0.5:
            ds = lance.dataset(root)
            ds.branches.delete(fork)
            ds.cleanup_old_versions(older_than=datetime.timedelta(0), delete_unverified=True)
            assert by_id(agree(tool, root, None)) == want
        ds = lance.dataset(root)
        if rng.random() < 0.5:
            ds.optimize.compact_files(target_rows_per_fragment=1000)
            assert by_id(agree(tool, root, None)) == want
        if rng.random() < 0.5:
            ds.create_scalar_index("id", "BTREE", replace=True)
            for i in rng.sample(sorted(want), 3):
                assert len(lance.dataset(root).to_table(filter=f"id = {i}")) == 1
    return how


def inherited_index(tool, place):
    """Forks, and forks of forks, answer from an inherited index, also after compaction and without their parents' files."""
    rng = random.Random(7)
    root = os.path.join(place, "indexed.lance")
    tool.do(op="create", root=root, schema=[{"name": n, "type": t, "nullable": n != "id"} for n, t, _ in SCHEMA])
    for k in range(3):
        tool.do(op="append", root=root, rows=make_rows(rng, 10 * k, 10))
    lance.dataset(root).create_scalar_index("id", "BTREE")
    tool.do(op="fork", root=root, name="one.x", row_id_base=1 << 40)
    tool.do(op="append", root=root, branch="one.x", rows=make_rows(rng, 100, 5))
    tool.do(op="fork", root=root, branch="one.x", name="two.x", row_id_base=2 << 40)
    tool.do(op="update", root=root, branch="two.x", where="id = 4", set={"s": "four"})
    for branch in ("one.x", "two.x"):
        ds = open_at(root, branch)
        assert len(ds.describe_indices()) == 1
        for step in ("before", "after"):
            for i, n in ((4, 1), (25, 1), (102, 1), (77, 0)):
                assert len(open_at(root, branch).to_table(filter=f"id = {i}")) == n, (branch, step, i)
            assert "ScalarIndexQuery" in open_at(root, branch).scanner(filter="id = 4").explain_plan(True)
            open_at(root, branch).optimize.compact_files(target_rows_per_fragment=1000)
            open_at(root, branch).optimize.optimize_indices()


def main():
    tool = Tool(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    histories = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    place = tempfile.mkdtemp(prefix="ia-graft-")
    inherited_index(tool, place)
    hows = [history(tool, s, place) for s in range(seed, seed + histories)]
    print(f"{histories} histories of three grafts ({', '.join(f'{hows.count(h)} by {h}' for h in sorted(set(hows)))}) agree")
    shutil.rmtree(place)


if __name__ == "__main__":
    main()

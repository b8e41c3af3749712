#!/usr/bin/env python3
"""The real engine commits over our commits with a handle that is behind, and we over its: both rebase or refuse.

    table_stale.py TABLE_TOOL     (needs pylance and pyarrow)
"""
import os
import shutil
import sys
import tempfile

import lance
import pyarrow as pa

from table_random import SCHEMA, Tool, arrow_table, make_rows
import random

ROWS = [{"id": i, "s": f"s{i}"} for i in range(20)]
DECLARED = [{"name": n, "type": t, "nullable": n != "id"} for n, t, _ in SCHEMA]

OURS = {
    "append": dict(op="append", rows=[{"id": 100}]),
    "delete": dict(op="delete", where="id = 3"),
    "delete all of a fragment": dict(op="delete", where="id < 20"),
    "update": dict(op="update", where="id = 4", set={"s": "four"}),
    "overwrite": dict(op="overwrite", schema=DECLARED, rows=[{"id": 7}]),
    "config": dict(op="config", key="k", value="v"),
    "base": dict(op="base", name="other", path="/nowhere/x.lance"),
}

# ids that must be there after ours and then theirs by a stale handle; None: the engine must refuse
APPENDED = set(range(1000, 1002))
ALL = set(range(20))
CASES = {
    ("append", "append"): ALL | {100} | APPENDED, ("append", "delete"): (ALL | {100}) - {9},
    ("append", "update"): ALL | {100},
    ("delete", "append"): (ALL - {3}) | APPENDED, ("delete", "delete"): ALL - {3, 9}, ("delete", "update"): ALL - {3},
    ("delete all of a fragment", "append"): APPENDED, ("delete all of a fragment", "delete"): set(),
    ("update", "append"): ALL | APPENDED, ("update", "delete"): ALL - {9}, ("update", "update"): ALL,
    ("overwrite", "append"): None,
    ("config", "append"): ALL | APPENDED, ("config", "delete"): ALL - {9}, ("config", "update"): ALL,
    ("base", "append"): ALL | APPENDED, ("base", "delete"): ALL - {9}, ("base", "update"): ALL,
}


def theirs(ds, what):
    if what == "append":
        lance.write_dataset(arrow_table(make_rows(random.Random(1), 1000, 2)), ds, mode="append")
    elif what == "delete":
        ds.delete("id = 9")
    else:
        ds.update({"s": "'theirs'"}, where="id = 9")


ENGINE = {
    "append": lambda ds: theirs(ds, "append"),
    "delete": lambda ds: ds.delete("id = 3"),
    "delete the same row": lambda ds: ds.delete("id = 9"),
    "update": lambda ds: ds.update({"s": "'u'"}, where="id = 4"),
    "index": lambda ds: ds.create_scalar_index("id", "BTREE"),
    "compact": lambda ds: ds.optimize.compact_files(),
    "add column": lambda ds: ds.add_columns({"z": "id + 1"}),
    "drop column": lambda ds: ds.drop_columns(["u"]),
    "config": lambda ds: ds.update_config({"a": "b"}),
    "overwrite": lambda ds: lance.write_dataset(arrow_table(ROWS), ds, mode="overwrite"),
    "restore": lambda ds: ds.checkout_version(2).restore(),
}
REFUSED = {
    "append": {"add column", "drop column", "overwrite", "restore"},
    "delete": {"delete the same row", "compact", "add column", "overwrite", "restore"},
    "update": {"delete the same row", "compact", "add column", "drop column", "overwrite", "restore"},
}


def ours_behind(tool, place):
    mine = {"append": dict(op="append", rows=[{"id": 100}]), "delete": dict(op="delete", where="id = 9"),
            "update": dict(op="update", where="id = 9", set={"s": "mine"})}
    for n, (name, change) in enumerate(ENGINE.items()):
        for what, request in mine.items():
            root = os.path.join(place, f"o{n}-{what}.lance")
            tool.do(op="create", root=root, schema=DECLARED)
            tool.do(op="append", root=root, rows=ROWS)
            tool.do(op="append", root=root, rows=[{"id": 50}])
            change(lance.dataset(root))
            before = lance.dataset(root)
            answer = tool.raw(root=root, version=3, **request)
            after = lance.dataset(root)
            if name in REFUSED[what]:
                assert answer.get("error") == "conflict", f"their {name}, our {what}: {answer}"
                assert after.version == before.version
                continue
            assert "error" not in answer, f"their {name}, our {what}: {answer}"
            after.validate()
            assert after.version == before.version + 1
            assert after.count_rows() == before.count_rows() + {"append": 1, "delete": -1, "update": 0}[what]
            if what == "update":
                assert after.to_table(filter="id = 9").to_pylist()[0]["s"] == "mine"


def main():
    tool = Tool(sys.argv[1])
    place = tempfile.mkdtemp(prefix="ia-stale-")
    ours_behind(tool, place)
    for n, ((ours, what), want) in enumerate(CASES.items()):
        root = os.path.join(place, f"t{n}.lance")
        tool.do(op="create", root=root, schema=DECLARED)
        tool.do(op="append", root=root, rows=ROWS)
        stale = lance.dataset(root)
        tool.do(root=root, **OURS[ours])
        try:
            theirs(stale, what)
        except Exception as e:  # noqa: BLE001
            assert want is None, f"our {ours}, their {what}: {e}"
            continue
        assert want is not None, f"our {ours}, their {what}: should have been refused"
        ds = lance.dataset(root)
        ds.validate()
        got = sorted(ds.to_table(columns=["id"]).column("id").to_pylist())
        assert got == sorted(want), f"our {ours}, their {what}: {got}"
        assert [r["id"] for r in tool.do(op="scan", root=root, columns=["id"])["rows"]] == \
            ds.to_table(columns=["id"]).column("id").to_pylist()
        if ours == "update":
            row = ds.to_table(filter="id = 4").to_pylist()[0]
            assert row["s"] == "four"
        texts = [t.operation.__class__.__name__ for t in ds.get_transactions()]
        assert len(texts) >= 3, texts
    print(f"{len(CASES)} pairs of the engine over us, {3 * len(ENGINE)} of us over the engine: rebased or refused")
    shutil.rmtree(place)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Two processes of ours and two of the real engine append to and delete from one table at once; nothing is lost.

    table_race.py TABLE_TOOL [ROUNDS]     (needs pylance and pyarrow)
"""
import multiprocessing
import os
import shutil
import sys
import tempfile

import lance
import pyarrow as pa

from table_random import Tool

SCHEMA = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("s", pa.string())])


def ours(path, root, me, rounds):
    tool = Tool(path)
    for i in range(rounds):
        first = 1000 * me + 2 * i
        tool.do(op="append", root=root, rows=[{"id": first, "s": "x"}, {"id": first + 1, "s": "y"}])
        while True:  # a delete that met another change of its rows is planned again
            answer = tool.raw(op="delete", root=root, where=f"id = {first}")
            if answer.get("error") != "conflict":
                break
        assert "error" not in answer, answer


def engine(root, me, rounds):
    for i in range(rounds):
        first = 1000 * me + 2 * i
        lance.write_dataset(pa.table({"id": [first, first + 1], "s": ["x", "y"]}, schema=SCHEMA), root, mode="append")
        lance.dataset(root).delete(f"id = {first}")


def main():
    path = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    place = tempfile.mkdtemp(prefix="ia-race-")
    root = os.path.join(place, "t.lance")
    Tool(path).do(op="create", root=root, schema=[{"name": "id", "type": "int64", "nullable": False},
                                                  {"name": "s", "type": "string"}])
    start = multiprocessing.get_context("spawn")
    workers = [start.Process(target=ours, args=(path, root, me, rounds)) for me in (1, 2)]
    workers += [start.Process(target=engine, args=(root, me, rounds)) for me in (3, 4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
        assert w.exitcode == 0, w.exitcode
    ds = lance.dataset(root)
    ds.validate()
    want = sorted(1000 * me + 2 * i + 1 for me in (1, 2, 3, 4) for i in range(rounds))
    assert sorted(ds.to_table().column("id").to_pylist()) == want
    rows = Tool(path).do(op="scan", root=root, columns=["id", "_rowid"])["rows"]
    assert sorted(r["id"] for r in rows) == want and len({r["_rowid"] for r in rows}) == len(want)
    print(f"{ds.version} versions by four writers, {len(want)} rows, none lost")
    shutil.rmtree(place)


if __name__ == "__main__":
    main()

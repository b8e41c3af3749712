#!/usr/bin/env python3
"""Random histories of plain tables, written by us and by the real engine in turn, read by both after every step.

    table_random.py TABLE_TOOL [SEED [HISTORIES [STEPS]]]     (needs pylance and pyarrow)

TABLE_TOOL is the program of tests/unit/table. Rows, row ids, addresses and row versions must agree; what we
write must pass the engine's own validation and be written on by it.
"""
import datetime
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import lance
import pyarrow as pa

EPOCH = datetime.date(1970, 1, 1)
VIRTUAL = ["_rowid", "_rowaddr", "_row_created_at_version", "_row_last_updated_at_version"]
SCHEMA = [
    ("id", "int64", pa.int64()), ("s", "string", pa.string()), ("b", "bool", pa.bool_()),
    ("i", "int32", pa.int32()), ("u", "uint32", pa.uint32()), ("w", "uint64", pa.uint64()),
    ("f", "float32", pa.float32()), ("d", "float64", pa.float64()), ("day", "date32", pa.date32()),
    ("v", "fsl:4", pa.list_(pa.float32(), 4)), ("l", "list:string", pa.list_(pa.string())),
    ("n", "list:int64", pa.list_(pa.int64())),
]


class Tool:
    def __init__(self, path):
        self.p = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def raw(self, **request):
        self.p.stdin.write(json.dumps(request) + "\n")
        self.p.stdin.flush()
        line = self.p.stdout.readline()
        if not line:
            raise SystemExit(f"the tool died at {json.dumps(request)[:400]}")
        return json.loads(line)

    def do(self, **request):
        answer = self.raw(**request)
        if "error" in answer:
            raise SystemExit(f"{json.dumps(request)[:400]}: {answer}")
        return answer


def value(rng, kind, null=0.15):
    if kind != "id" and rng.random() < null:
        return None
    if kind.startswith("list:"):
        return [value(rng, kind[5:], 0) for _ in range(rng.randrange(4))]
    return {
        "string": lambda: rng.choice(["", "alpha", "béta", "x" * rng.randrange(60)]),
        "bool": lambda: rng.random() < 0.5,
        "int32": lambda: rng.choice([0, -1, 2**31 - 1, -2**31, rng.randrange(1000)]),
        "int64": lambda: rng.randrange(-10**15, 10**15),
        "uint32": lambda: rng.choice([0, 2**32 - 1, rng.randrange(1000)]),
        "uint64": lambda: rng.choice([0, 2**63 - 1, rng.randrange(10**6)]),
        "float32": lambda: rng.randrange(-1000, 1000) / 8,
        "float64": lambda: rng.random() * 1e6,
        "date32": lambda: rng.randrange(-1000, 30000),
        "fsl:4": lambda: [rng.randrange(100) / 4 for _ in range(4)],
    }[kind]()


def make_rows(rng, first, n):
    return [{"id": first + k, **{name: value(rng, kind) for name, kind, _ in SCHEMA[1:]}} for k in range(n)]


def arrow_table(rows, names=None):
    cols, fields = [], []
    for name, kind, typ in SCHEMA:
        if names and name not in names:
            continue
        vals = [r.get(name) for r in rows]
        if kind == "date32":
            vals = [None if v is None else EPOCH + datetime.timedelta(days=v) for v in vals]
        cols.append(pa.array(vals, typ))
        fields.append(pa.field(name, typ, nullable=name != "id"))
    return pa.Table.from_arrays(cols, schema=pa.schema(fields))


def plain(v):
    if isinstance(v, datetime.date):
        return (v - EPOCH).days
    return v


def engine_rows(ds, **kw):
    names = [f.name for f in ds.schema]
    stable = ds.has_stable_row_ids
    cols = names + (VIRTUAL if stable else VIRTUAL[:2])
    rows = ds.to_table(columns=cols, **kw).to_pylist()
    for r in rows:
        if not stable:
            r[VIRTUAL[2]] = r[VIRTUAL[3]] = 1
    return [{k: plain(v) for k, v in r.items()} for r in rows]


FILTERS = [
    "id > 40", "id = 7", "i = 2147483647 OR b", "s IS NULL", "s = 'alpha' AND i > 0", "d < 500000.0 AND NOT b",
    "id IN (1, 5, 9, 33, 70)", "u > 500 AND id < 60", "f >= 0 AND s IS NOT NULL",
]


def same(a, b, what):
    if a == b:
        return
    for x, y in zip(a, b):
        if x != y:
            raise SystemExit(f"{what}: ours {x}\n theirs {y}")
    raise SystemExit(f"{what}: {len(a)} rows of ours, {len(b)} of theirs")


def compare(tool, rng, root, branch):
    ds = lance.dataset(root)
    if branch:
        ds = ds.checkout_version((branch, None))
    names = [f.name for f in ds.schema]
    at = dict(root=root, **({"branch": branch} if branch else {}))
    theirs = engine_rows(ds)
    got = tool.do(op="scan", columns=names + VIRTUAL, batch_rows=rng.choice([0, 1, 7, 64]), **at)
    assert got["version"] == ds.version, (got["version"], ds.version)
    same(got["rows"], theirs, f"version {ds.version} of {branch}")
    assert tool.do(op="count", **at)["count"] == len(theirs)
    for where in rng.sample(FILTERS, 3):
        if any(w.strip("()',") in {n for n, _, _ in SCHEMA} - set(names) for w in where.split()):
            continue
        want = engine_rows(ds, filter=where, use_scalar_index=False)
        same(tool.do(op="scan", columns=names + VIRTUAL, where=where, **at)["rows"], want, where)
        same(want, sorted(engine_rows(ds, filter=where), key=lambda r: r["_rowaddr"]), f"the engine's index: {where}")
        assert tool.do(op="count", where=where, **at)["count"] == len(want), where
    if theirs:
        some = [rng.choice(theirs) for _ in range(10)]
        taken = tool.do(op="take", addrs=[r["_rowaddr"] for r in some], columns=names + VIRTUAL, **at)["rows"]
        same(taken, some, "take")
        found = tool.do(op="find", ids=[r["_rowid"] for r in some], **at)["addrs"]
        same(found, [r["_rowaddr"] for r in some], "find")
    return theirs


def foreign(rng, root, branch, rows, next_id, stable):
    """One change by the real engine."""
    ds = lance.dataset(root)
    if branch:
        ds = ds.checkout_version((branch, None))
    op = rng.choice(["append", "append", "delete", "update", "merge", "compact", "index"])
    if op == "append":
        n = rng.choice([1, 3, 40])
        lance.write_dataset(arrow_table(make_rows(rng, next_id, n)), ds, mode="append")
        return op, next_id + n
    if op == "delete":
        ds.delete(rng.choice([f"id % 7 = {rng.randrange(7)}", f"id = {rng.randrange(next_id)}", "id > 100000"]))
    elif op == "update":
        ds.update({"s": f"'u{rng.randrange(9)}'"}, where=f"id % 5 = {rng.randrange(5)}")
    elif op == "merge" and rows:
        old = rng.sample(rows, min(3, len(rows)))
        fresh = make_rows(rng, next_id, 2) + [{**r, "s": "merged"} for r in old]
        ds.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(
            arrow_table([{k: r.get(k) for k, _, _ in SCHEMA} for r in fresh]))
        return op, next_id + 2
    elif op == "compact" and not (branch or "").startswith("e."):
        # on a fork of its own making the engine loses an inherited index here; ours link its files
        ds.optimize.compact_files(target_rows_per_fragment=rng.choice([10, 100, 1000]))
    elif op == "index" and not branch:
        ds.create_scalar_index(rng.choice(["id", "s", "i"]), "BTREE", replace=True)
    return op, next_id


def ours(tool, rng, root, branch, rows, next_id):
    """One change by us."""
    at = dict(root=root, **({"branch": branch} if branch else {}))
    op = rng.choice(["append", "append", "delete", "update"])
    if op == "append":
        n = rng.choice([1, 3, 40])
        tool.do(op="append", rows=make_rows(rng, next_id, n), **at)
        return op, next_id + n
    if op == "delete":
        tool.do(op="delete", where=rng.choice([f"id = {rng.randrange(next_id)}", f"id > {next_id - 2}",
                                               "i = 0 AND b", "s = 'alpha' AND id < 30"]), **at)
    else:
        tool.do(op="update", where=rng.choice([f"id = {rng.randrange(next_id)}", "b", "s IS NULL AND id > 20"]),
                set=rng.choice([{"s": "set"}, {"i": rng.randrange(50), "l": ["q"]}, {"v": [1, 2, 3, 4], "s": None}]), **at)
    return op, next_id


def history(tool, seed, steps, place):
    rng = random.Random(seed)
    root = os.path.join(place, f"t{seed}.lance")
    stable = rng.random() < 0.7
    next_id = 10
    if rng.random() < 0.5 or not stable:
        lance.write_dataset(arrow_table(make_rows(rng, 0, 10)), root, enable_stable_row_ids=stable,
                            data_storage_version=rng.choice(["2.1", "2.2"]))
        log = ["engine create"]
    else:
        tool.do(op="create", root=root, schema=[{"name": n, "type": t, "nullable": n != "id"} for n, t, _ in SCHEMA])
        tool.do(op="append", root=root, rows=make_rows(rng, 0, 10))
        log = ["our create"]
    branches = [None]
    try:
        for step in range(steps):
            branch = rng.choice(branches)
            rows = compare(tool, rng, root, branch)
            if len(branches) < 4 and rng.random() < 0.15:
                mine = rng.random() < 0.5
                name = f"{'b' if mine else 'e'}.{len(branches)}"
                if mine:
                    at = dict(root=root, **({"branch": branch} if branch else {}))
                    tool.do(op="fork", name=name, row_id_base=len(branches) << 40 if stable else 0, **at)
                else:
                    ds = lance.dataset(root)
                    (ds.checkout_version((branch, None)) if branch else ds).create_branch(name)
                branches.append(name)
                log.append(f"fork {branch} -> {name}")
                branch = name
            elif rng.random() < 0.5:
                op, next_id = foreign(rng, root, branch, rows, next_id, stable)
                log.append(f"engine {op} on {branch}")
            else:
                op, next_id = ours(tool, rng, root, branch, rows, next_id)
                log.append(f"our {op} on {branch}")
            compare(tool, rng, root, branch)
            ds = lance.dataset(root)
            (ds.checkout_version((branch, None)) if branch else ds).validate()
    except BaseException:
        print(f"seed {seed}, stable {stable}, {root}:", *log, sep="\n  ", file=sys.stderr)
        raise
    return len(log)


def main():
    tool = Tool(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    histories = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    steps = int(sys.argv[4]) if len(sys.argv) > 4 else 15
    place = tempfile.mkdtemp(prefix="ia-table-")
    total = sum(history(tool, s, steps, place) for s in range(seed, seed + histories))
    print(f"{histories} histories, {total} changes: rows, row ids, addresses and row versions agree")
    shutil.rmtree(place)


if __name__ == "__main__":
    main()

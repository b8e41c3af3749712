#!/usr/bin/env python3
"""Graph tables of every property type: loaded, updated, deleted and merged by us, read and continued by the engine.

    graph_rows.py [--long] [--seed N]       (INARCH_LIBRARY; needs pylance and pyarrow)

After every commit both tables are read by the engine and by us and compared with a model: values to the bit, row ids,
row versions. At the end copies of the tables are written on by the engine and read by us.
"""
import argparse
import os
import shutil
import sys
import tempfile
import time

import lance
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "python")]
import exact  # noqa: E402
import inarch  # noqa: E402

PROPERTY = {"string": "String", "bool": "Bool", "i32": "I32", "i64": "I64", "u32": "U32", "u64": "U64", "f32": "F32",
            "f64": "F64", "date32": "Date", "date64": "DateTime", "enum": "enum(real, virtual, missing)"}
PROPERTY.update({f"list<{k}>": f"[{t}]" for k, t in PROPERTY.items() if k != "enum"})
PROPERTY.update({k: f"Vector({k[3:]})" for k in exact.VECTORS})
VIRTUAL = ["_rowid", "_rowaddr", "_row_created_at_version", "_row_last_updated_at_version"]


def column_name(kind):
    return "p_" + "".join(c if c.isalnum() else "_" for c in kind).strip("_")


def schema_text(kinds):
    lines = [f"  {column_name(k)}_{s}: {PROPERTY[k]}{'?' if s == 'n' else ''}" for k in kinds for s in "nr"]
    return ("node All {\n  mark: String\n" + "\n".join(lines) +
            "\n}\nedge Links: All -> All {\n  weight: F64?\n  place: Vector(8)?\n  seen: [DateTime]\n}\n")


class Sides:
    """The model of both tables: ids with everything an export would say of them, as Arrow tables sorted by id."""

    def __init__(self, seed, kinds):
        self.rng, self.kinds, self.serial = np.random.default_rng(seed), kinds, 0
        self.nodes, self.edges = self.make_nodes([]), self.make_edges([], [])

    def names(self, prefix, n):
        self.serial += n
        return [f"{prefix}{k:07d}" for k in self.rng.permutation(np.arange(self.serial - n, self.serial))]

    def make_nodes(self, ids):
        r, n = self.rng, len(ids)
        cols = {"id": pa.array(ids, pa.string()), "mark": pa.array([f"m{k}" for k in r.integers(0, 7, n)], pa.string())}
        fields = [pa.field(k, pa.string(), nullable=False) for k in cols]
        for kind in self.kinds:
            for suffix in "nr":
                pattern = str(r.choice(["whole", "part", "empty", "ends"])) if suffix == "n" else "must"
                name = f"{column_name(kind)}_{suffix}"
                cols[name] = exact.column(r, kind, n, pattern, plain=True, items="whole")
                fields.append(pa.field(name, exact.TYPES[kind], nullable=suffix == "n"))
        return pa.Table.from_arrays(list(cols.values()), schema=pa.schema(fields))

    def make_edges(self, ids, known):
        r, n = self.rng, len(ids)
        ends = [pa.array(r.choice(known, n) if n else [], pa.string()) for _ in range(2)]
        place = pa.list_(pa.float32(), 8)
        vectors = pa.FixedSizeListArray.from_arrays(pa.array(r.integers(-9, 9, 8 * n) / 4, pa.float32()), 8,
                                                    mask=pa.array(exact.nulls(r, "part", n)))
        cols = [pa.array(ids, pa.string()), *ends, exact.column(r, "f64", n, "part", plain=True), vectors,
                exact.column(r, "list<date64>", n, "must")]
        types = [("id", pa.string(), False), ("src", pa.string(), False), ("dst", pa.string(), False),
                 ("weight", pa.float64(), True), ("place", place, True), ("seen", pa.list_(pa.date64()), False)]
        return pa.Table.from_arrays(cols, schema=pa.schema([pa.field(*t[:2], nullable=t[2]) for t in types]))

    @staticmethod
    def put(old, new):
        keep = old.filter(pc.invert(pc.is_in(old.column("id"), new.column("id").combine_chunks())))
        return pa.concat_tables([keep, new])

    def some(self, table, share):
        ids = table.column("id").to_pylist()
        return list(self.rng.choice(ids, int(len(ids) * share) + (share > 0), False)) if ids else []


class Run:
    def __init__(self, place, size, kinds, seed):
        self.path = os.path.join(place, f"rows{size}.graph")
        inarch.create(self.path, schema_text(kinds), durability="relaxed")
        self.g = inarch.open(self.path, durability="relaxed")
        self.m, self.size, self.branch = Sides(seed + size, kinds), size, "main"
        self.checks, self.seen = 0, {}

    def fail(self, why, what):
        self.checks += 1
        if why:
            raise AssertionError(f"size {self.size}, {what}, branch {self.branch}: {why}; kept at {self.path}")

    # ---- changes, each of the graph and of the model ---------------------------------------------
    def load(self, nodes, edges, mode):
        for kind, t in (("node", nodes), ("edge", edges)):
            if t.num_rows:
                self.g.load_rows(kind, "All" if kind == "node" else "Links", t, mode, branch=self.branch)
        self.m.nodes, self.m.edges = Sides.put(self.m.nodes, nodes), Sides.put(self.m.edges, edges)

    def append(self, n, edges):
        nodes = self.m.make_nodes(self.m.names("a", n))
        known = self.m.nodes.column("id").to_pylist() + nodes.column("id").to_pylist()
        self.load(nodes, self.m.make_edges(self.m.names("e", edges) if known else [], known), "append")

    def merge_rows(self, share, fresh):
        nodes = self.m.make_nodes(self.m.some(self.m.nodes, share) + self.m.names("a", fresh))
        known = sorted(set(self.m.nodes.column("id").to_pylist()) | set(nodes.column("id").to_pylist()))
        changed = self.m.edges.filter(pc.is_in(self.m.edges.column("id"), pa.array(self.m.some(self.m.edges, share),
                                                                                  pa.string())))
        edges = self.m.make_edges(changed.column("id").to_pylist(), known)
        for name in ("src", "dst"):  # ends of an edge stay: a moved edge is another row
            edges = edges.set_column(edges.schema.get_field_index(name), edges.schema.field(name), changed.column(name))
        self.load(nodes, edges, "merge")

    def overwrite_edges(self, n):
        known = self.m.nodes.column("id").to_pylist()
        edges = self.m.make_edges(self.m.names("e", n) if known else [], known)
        if edges.num_rows:
            self.g.load_rows("edge", "Links", edges, "overwrite", branch=self.branch)
            self.m.edges = edges

    def delete(self, mark):
        self.g.mutate(f'query q() {{ delete All where mark = "{mark}" }}', branch=self.branch)
        gone = self.m.nodes.filter(pc.equal(self.m.nodes.column("mark"), mark)).column("id").combine_chunks()
        self.m.nodes = self.m.nodes.filter(pc.not_equal(self.m.nodes.column("mark"), mark))
        hit = pc.or_(pc.is_in(self.m.edges.column("src"), gone), pc.is_in(self.m.edges.column("dst"), gone))
        self.m.edges = self.m.edges.filter(pc.invert(hit))

    def update(self, old, new):
        self.g.mutate(f'query q() {{ update All set {{ mark: "{new}" }} where mark = "{old}" }}', branch=self.branch)
        mark = self.m.nodes.column("mark")
        self.m.nodes = self.m.nodes.set_column(1, self.m.nodes.schema.field("mark"),
                                               pc.if_else(pc.equal(mark, old), new, mark))

    # ---- comparing -----------------------------------------------------------------------------
    def check(self, what):
        for t in self.g.snapshot(self.branch)["tables"]:
            want = self.m.nodes if t["kind"] == "node" else self.m.edges
            branch, version = t["lance_branch"] or None, t["lance_version"]
            ds = lance.dataset(t["path"]).checkout_version((branch, version))
            theirs = ds.to_table(columns=want.column_names + VIRTUAL)
            self.fail(exact.tables_differ(theirs.select(want.column_names).sort_by("id"), want.sort_by("id")),
                      f"{what}: {t['type']} in the engine against the model")
            self.fail(None if {f.name for f in ds.schema} == set(want.column_names) else f"{ds.schema.names}", what)
            ours = inarch.open_table(t["path"], branch=branch, version=version)
            self.fail(exact.tables_differ(pa.table(ours.scan(want.column_names + VIRTUAL)), theirs),
                      f"{what}: {t['type']} read by us against the engine")
            self.fail(None if ours.count() == ds.count_rows() == t["rows"] == want.num_rows else "counts differ", what)
            self.check_rows(ds, ours, theirs, want.column_names, f"{what}: {t['type']}")
            self.check_identity(t, theirs, version, f"{what}: {t['type']}")

    def check_rows(self, ds, ours, theirs, names, what):
        if not theirs.num_rows:
            return
        want = theirs.take(self.m.rng.integers(0, theirs.num_rows, 15))
        ids = want.column("_rowid").to_pylist()
        self.fail(exact.tables_differ(pa.table(ours.take(ids, names)), want.select(names)), f"{what}, our take")
        self.fail(exact.tables_differ(ds._take_rows(ids, columns=names), want.select(names), False), f"{what}, its take")
        one = want.column("id")[0].as_py()
        for where in (f"id = '{one}'", f"id > '{one}'"):
            t = ds.to_table(columns=names, filter=where)
            self.fail(exact.tables_differ(pa.table(ours.scan(names, where)), t), f"{what}, filter {where}")

    def check_identity(self, t, theirs, version, what):
        """A row keeps its row id and the version that made it; its last version is not after the table's."""
        key = (t["type"], t["lance_branch"])
        now = {i: (r, c, u) for i, r, c, u in zip(*(theirs.column(n).to_pylist() for n in
                                                    ("id", "_rowid", VIRTUAL[2], VIRTUAL[3])))}
        self.fail(None if len({r for r, _, _ in now.values()}) == len(now) else "a row id occurs twice", what)
        old_version, old = self.seen.get(key, (0, {}))
        for i, (row, created, updated) in now.items():
            if i in old and (old[i][0] != row or old[i][1] != created):
                self.fail(f"{i} was row {old[i]}, is {now[i]}", what)
            if not (created <= updated <= version) or (i not in old and created <= old_version and old_version):
                self.fail(f"{i}: created {created}, updated {updated} at version {version} after {old_version}", what)
        self.seen[key] = (version, now)

    def continued(self):
        """The engine writes on, on copies of the tables: graphs do not like foreign writers."""
        for t in self.g.snapshot("main")["tables"]:
            copy = self.path + ".copy.lance"
            shutil.copytree(t["path"], copy)
            model = self.m.nodes if t["kind"] == "node" else self.m.edges
            extra = self.m.make_nodes(["z1", "z2"]) if t["kind"] == "node" else self.m.make_edges(["z1"], ["z2"])
            lance.write_dataset(extra, copy, mode="append")
            model = pa.concat_tables([model, extra])
            if model.num_rows > 5:
                first = model.column("id")[1].as_py()
                lance.dataset(copy).delete(f"id = '{first}'")
                model = model.filter(pc.not_equal(model.column("id"), first))
            lance.dataset(copy).merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(extra)
            for step in ("written on", "compacted"):
                ds = lance.dataset(copy)
                theirs = ds.to_table(columns=model.column_names + VIRTUAL)
                ours = inarch.open_table(copy)
                self.fail(exact.tables_differ(pa.table(ours.scan(model.column_names + VIRTUAL)), theirs), step)
                self.fail(exact.tables_differ(theirs.select(model.column_names).sort_by("id"), model.sort_by("id")), step)
                ds.optimize.compact_files()
            lance.dataset(copy).validate()
            shutil.rmtree(copy)

    def go(self):
        self.check("created")
        self.append(self.size, self.size // 2)
        self.check("load append")
        self.merge_rows(0.1, 3)
        self.check("load merge")
        self.delete("m3")
        self.check("delete")
        self.update("m1", "m2")
        self.check("update")
        self.overwrite_edges(self.size // 3 + 1)
        self.check("overwrite")
        self.g.branch_create("side/one", "main")
        self.branch = "side/one"
        self.check("branched")
        self.seen.clear()
        self.merge_rows(0.05, 2)
        self.update("m2", "m4")
        self.append(2, 2)
        self.check("on the branch")
        self.g.merge("side/one", "main")
        self.branch = "main"
        self.check("merged")
        self.merge_rows(0.05, 0)
        self.check("after the merge")
        self.continued()
        problems = self.g.verify()
        self.fail(problems or None, "verify")
        self.g.close()
        shutil.rmtree(self.path)
        return self.checks


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--long", action="store_true")
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    place, began, checks = tempfile.mkdtemp(prefix="inarch-rows-"), time.time(), 0
    narrow = [k for k in PROPERTY if not k.startswith("fsl") or k == "fsl3"]
    sizes = [0, 1, 2, 1023, 1024, 1025, 5000] + ([70000, 1000000] if a.long else [])
    for size in sizes:
        kinds = list(PROPERTY) if size <= 5000 else narrow if size <= 70000 else ["i64", "string", "fsl3"]
        checks += Run(place, size, kinds, a.seed).go()
    shutil.rmtree(place)
    print(f"graphs of {len(sizes)} sizes, {2 * len(PROPERTY)} properties of {len(PROPERTY)} types: {checks} comparisons "
          f"with the engine and the model; {time.time() - began:.0f} s")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Every type x null pattern x size: tables of the real engine read by us, ours read and continued by it.

    matrix.py [--long] [--only SUBSTRING] [--jobs N] [--seed N] [--slow]       (INARCH_LIBRARY; needs pylance and pyarrow)

A case is one type at one size in one direction; its columns are the null patterns. After every change rows, row ids,
addresses, row versions, projections, filters, counts and takes must agree between both, and with a model of ours.
"""
import argparse
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
import traceback
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "python"))
import exact  # noqa: E402
from exact import PATTERNS, SCALARS, TYPES  # noqa: E402

os.environ.setdefault("LANCE_LOG", "error")
ADDRESS = ["_rowid", "_rowaddr"]
STAMPS = ["_row_created_at_version", "_row_last_updated_at_version"]
SIZES = [0, 1, 2, 1023, 1024, 1025, 5000, 70000]
MILLION = ["i64", "f64", "string", "fsl3", "list<i32>", "bool"]
LITERALS = {
    "string": ["'alpha'", "'graph-5'"], "bool": ["true", "false"], "enum": ["'virtual'", "'none'"],
    "i32": ["-7", "250"], "i64": ["-7", "250"], "u32": ["7", "250"], "u64": ["7", "9223372036854775807"],
    "f32": ["0.5", "-100.0"], "f64": ["0.5", "-100.0"], "date32": ["date '1999-12-31'", "date '2061-01-02'"],
    "date64": ["date '1999-12-31'", "date '2061-01-02'"],
}


def filters(kind):
    out = ["part IS NULL", "id >= 900 AND id < 1500 AND part IS NOT NULL", "id IN (0, 1, 1023, 1024, 4999, 10000000)"]
    if kind in LITERALS:
        a, b = LITERALS[kind]
        out += [f"part = {a}", f"part != {a} AND id > 10", f"part IN ({a}, {b})", f"NOT (part = {b} OR id < 100)"]
        if kind != "bool":
            out += [f"part < {b}", f"part >= {a} OR whole IS NULL", f"part BETWEEN {a} AND {b}"]
    if kind in ("string", "enum"):
        out += ["part LIKE 'a%'", "part LIKE '%ta%'"]
    if kind == "bool":
        out += ["part", "NOT part AND id > 4"]
    return out


class Case:
    """One table directory, a model of its rows (sorted by id), and what was checked."""

    def __init__(self, place, name, kind, n, seed):
        self.name, self.kind, self.n = name, kind, n
        self.rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        self.path = os.path.join(place, "".join(c if c.isalnum() else "_" for c in name) + ".lance")
        wide = kind.startswith("fsl") and n * int(kind[3:]) > 500000
        self.patterns = ("part", "must") if wide or n >= 1000000 else PATTERNS
        self.model, self.next_id, self.checks = None, 0, 0

    def fresh(self, n):
        t = exact.rows(self.rng, self.kind, self.next_id, n, self.patterns)
        self.next_id += n
        return t

    def expect(self, why, what):
        self.checks += 1
        if why:
            raise AssertionError(f"{self.name}: {what}: {why}")

    # ---- the model -----------------------------------------------------------------------------
    def add(self, t):
        self.model = t if self.model is None else pa.concat_tables([self.model, t])

    def drop(self, keep):
        self.model = self.model.filter(pa.array(keep(np.asarray(self.model.column("id")))))

    def put(self, t):
        """Replaces rows by id, adds the others."""
        self.drop(lambda ids: ~np.isin(ids, np.asarray(t.column("id"))))
        self.add(t)

    # ---- comparing -----------------------------------------------------------------------------
    def check(self, what, ds=None, light=False):
        """Ours and the engine's view of one version agree (the newest also with the model)."""
        newest = ds is None
        ds = ds or lance.dataset(self.path)
        what = f"{what} (version {ds.version})"
        names = [f.name for f in ds.schema]
        virtual = ADDRESS + (STAMPS if ds.has_stable_row_ids else [])
        theirs = ds.to_table(columns=names + virtual)
        t = inarch.open_table(self.path, version=ds.version)
        ours = pa.table(t.scan(names + virtual))
        self.expect(exact.tables_differ(ours, theirs), what)
        if newest and self.model is not None and names == self.model.column_names:
            self.expect(exact.tables_differ(theirs.select(names).sort_by("id"), self.model.sort_by("id"), False),
                        f"{what}, against the model")
        if light:
            return
        self.expect(exact.tables_differ(pa.table(t.scan()), theirs.select(names)), f"{what}, plain scan")
        self.expect(None if t.count() == ds.count_rows() else f"{t.count()} against {ds.count_rows()}", f"{what}, count")
        subset = [str(x) for x in self.rng.permutation(names)[: max(1, len(names) // 2)]]
        self.expect(exact.tables_differ(pa.table(t.scan(subset)), ds.to_table(columns=subset)), f"{what}, projection {subset}")
        for where in self.rng.permutation(filters(self.kind))[:3]:
            self.check_filter(t, ds, str(where), names + virtual, what)
        self.check_take(t, ds, theirs, names, virtual, what)

    def check_filter(self, t, ds, where, columns, what):
        if any(w.strip("(),") in {*PATTERNS, "id"} - set(ds.schema.names) for w in where.split()):
            return
        want = ds.to_table(columns=columns, filter=where)
        self.expect(exact.tables_differ(pa.table(t.scan(columns, where)), want), f"{what}, filter {where}")
        narrow = ds.to_table(columns=["id"], filter=where)
        self.expect(exact.tables_differ(pa.table(t.scan(["id"], where)), narrow), f"{what}, ids by filter {where}")
        n = t.count(where)
        self.expect(None if n == want.num_rows else f"{n} against {want.num_rows}", f"{what}, count of {where}")

    def check_take(self, t, ds, theirs, names, virtual, what):
        if not theirs.num_rows:
            return
        at = self.rng.integers(0, theirs.num_rows, 20)
        want = theirs.take(at)
        ids = want.column("_rowid").to_pylist()
        self.expect(exact.tables_differ(pa.table(t.take(ids, names + virtual)), want), f"{what}, our take")
        self.expect(exact.tables_differ(want.select(names), ds._take_rows(ids, columns=names), False), f"{what}, its take")
        ranked = ds.take([int(k) for k in at], columns=names)
        self.expect(exact.tables_differ(want.select(names), ranked, False), f"{what}, its take by position")

    # ---- changes -------------------------------------------------------------------------------
    def changed(self, share, columns=None):
        """New values for a share of the rows there are."""
        n = self.model.num_rows
        ids = np.sort(self.rng.choice(np.asarray(self.model.column("id")), int(n * share) + (n > 0 and share > 0), False))
        t = exact.rows(self.rng, self.kind, 0, len(ids), self.patterns).set_column(
            0, pa.field("id", pa.int64(), nullable=False), pa.array(ids))
        return t.select(columns) if columns else t

    def engine_delete(self):
        k = int(self.rng.integers(0, 7))
        lance.dataset(self.path).delete(f"id % 7 = {k}")
        self.drop(lambda ids: ids % 7 != k)

    def engine_update(self):
        k = int(self.rng.integers(0, 5))
        target = "ends" if "ends" in self.patterns else "part"
        lance.dataset(self.path).update({target: "must"}, where=f"id % 5 = {k}")
        hit = np.asarray(self.model.column("id")) % 5 == k
        at = self.model.column_names.index(target)
        old, new = exact.one_chunk(self.model.column(at)), exact.one_chunk(self.model.column("must"))
        both = pa.chunked_array([old.filter(pa.array(~hit)), new.filter(pa.array(hit))], old.type)
        order = np.argsort(np.concatenate([np.flatnonzero(~hit), np.flatnonzero(hit)]))
        self.model = self.model.set_column(at, self.model.schema.field(at), both.take(pa.array(order)))

    def engine_merge(self):
        t = pa.concat_tables([self.changed(0.1), self.fresh(3)])
        lance.dataset(self.path).merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(t)
        self.put(t)

    def engine_merge_columns(self):
        """Values of two columns only: the engine rewrites columns of fragments in place."""
        t = self.changed(0.2, ["id", "must"])
        lance.dataset(self.path).merge_insert("id").when_matched_update_all().execute(t)
        full = self.model.filter(pc.is_in(self.model.column("id"), t.column("id"))).sort_by("id")
        at = full.column_names.index("must")
        self.put(full.set_column(at, full.schema.field(at), exact.one_chunk(t.column("must"))))

    def engine_append(self, n):
        t = self.fresh(n)
        lance.write_dataset(t, self.path, mode="append", max_rows_per_file=max(1, n // 2))
        self.add(t)

    def our_append(self, n, batch=None):
        t = self.fresh(n)
        inarch.open_table(self.path, durability="relaxed").append(
            pa.Table.from_batches(t.to_batches(max_chunksize=batch), t.schema) if batch else t)
        self.add(t)

    def our_delete(self, where, keep):
        before = self.model.num_rows
        n = inarch.open_table(self.path, durability="relaxed").delete(where)
        self.drop(keep)
        self.expect(None if n == before - self.model.num_rows else f"{n} rows", f"our delete {where}")


def theirs(case, stable, version, light):
    """The engine writes, we read."""
    t = case.fresh(case.n)
    extra = {"data_storage_version": version} if version else {}
    lance.write_dataset(t, case.path, schema=t.schema, mode="create", enable_stable_row_ids=stable,
                        max_rows_per_file=max(1, case.n // 3 + 1), **extra)
    case.add(t)
    case.check("created", light=light)
    if case.n >= 1000000:
        case.engine_delete()
        return case.check("delete")
    case.engine_append(max(1, case.n // 4))
    case.check("append", light=light)
    steps = [case.engine_delete, case.engine_update, case.engine_merge, case.engine_merge_columns]
    for k in case.rng.permutation(len(steps)):
        steps[k]()
        case.check(steps[k].__name__, light=light)
    lance.dataset(case.path).delete(f"id <= {case.n // 3}")  # whole fragments
    case.drop(lambda ids: ids > case.n // 3)
    case.check("delete of fragments")
    old = case.rng.integers(1, lance.dataset(case.path).version, 2)
    for v in old:
        case.check("time travel", lance.dataset(case.path, version=int(v)), light=True)
    t = case.fresh(max(1, case.n // 2))
    lance.write_dataset(t, case.path, mode="overwrite")
    case.model = t
    case.check("overwrite")
    for v in old:
        case.check("time travel", lance.dataset(case.path, version=int(v)), light=True)


def ours(case, light):
    """We write, the engine reads and continues, we read and continue."""
    schema = exact.schema_of(case.kind, case.patterns)
    inarch.create_table(case.path, schema, durability="relaxed")
    case.model = schema.empty_table()
    case.check("our create")
    case.our_append(case.n, batch=None if case.rng.random() < 0.5 else max(1, case.n // 5))
    case.check("our append", light=light)
    if case.n >= 1000000:
        case.our_delete("id >= 1000 AND id < 400000", lambda ids: (ids < 1000) | (ids >= 400000))
        return case.check("our delete")
    case.our_append(max(1, case.n // 4))
    k = int(case.rng.integers(0, case.next_id))
    case.our_delete(f"id >= {k} AND id < {k + case.n // 5}", lambda ids: (ids < k) | (ids >= k + case.n // 5))
    case.our_delete(f"id IN (0, 1, {k}, {case.next_id - 1})", lambda ids: ~np.isin(ids, [0, 1, k, case.next_id - 1]))
    case.check("our delete", light=light)
    lance.dataset(case.path).validate()
    steps = [lambda: case.engine_append(5), case.engine_delete, case.engine_update, case.engine_merge,
             case.engine_merge_columns]
    for k in case.rng.permutation(len(steps)):
        steps[k]()
    case.check("the engine continued", light=light)
    case.our_append(7)
    case.our_delete("id < 40", lambda ids: ids >= 40)
    case.check("we continued", light=light)
    lance.dataset(case.path).optimize.compact_files(target_rows_per_fragment=max(10, case.n // 2))
    case.check("compacted")
    case.our_delete("id < 80", lambda ids: ids >= 80)
    case.our_append(3)
    case.check("we continued after compaction", light=light)
    lance.dataset(case.path).validate()


def evolved(case):
    """The engine changes the schema, restores, indexes, truncates; we read."""
    def change(what, step):
        step(lance.dataset(case.path))
        case.check(what)

    case.engine_append(case.n)
    case.engine_append(case.n)
    case.model = None  # the columns change from here on
    change("columns added by SQL", lambda ds: ds.add_columns({"twice": "id * 2"}))
    change("a column of nulls added", lambda ds: ds.add_columns(pa.field("nothing", TYPES[case.kind])))
    change("a column dropped", lambda ds: ds.drop_columns(["ends"]))
    change("a column renamed", lambda ds: ds.alter_columns({"path": "twice", "name": "double"}))
    change("a column cast", lambda ds: ds.alter_columns({"path": "double", "data_type": pa.int32()}))
    change("rows deleted", lambda ds: ds.delete("id % 3 = 1"))
    change("compacted", lambda ds: ds.optimize.compact_files())
    change("restored", lambda ds: ds.checkout_version(2).restore())
    change("indexed", lambda ds: ds.create_scalar_index("id", "BTREE"))
    change("truncated", lambda ds: ds.truncate_table())
    for v in range(1, lance.dataset(case.path).version + 1):
        case.check("time travel", lance.dataset(case.path, version=v), light=True)


def refused(case):
    """Formats that are not read, and writes into those that are only read, are refused by name."""
    def refuses(word, call, what):
        try:
            call()
        except inarch.Error as e:
            case.expect(None if e.code == "unsupported" and word in str(e) else f"{e.code}: {e}", what)
        else:
            case.expect("was done", what)

    t = case.fresh(10)
    lance.write_dataset(t, case.path, mode="overwrite", data_storage_version="legacy")
    refuses("legacy format 0.1", lambda: pa.table(inarch.open_table(case.path).scan()), "legacy format")
    shutil.rmtree(case.path)
    lance.write_dataset(t, case.path, mode="overwrite", data_storage_version="2.0")
    case.check("format 2.0", lance.dataset(case.path))
    refuses("format 2.0", lambda: inarch.open_table(case.path).append(t), "append to format 2.0")
    shutil.rmtree(case.path)
    os.mkdir(case.path)


def held(case):
    """All rows of a table larger than the memory limit, held by the reader: rows handed over are the reader's."""
    t = case.fresh(case.n)
    lance.write_dataset(t, case.path, max_rows_per_file=case.n // 3)
    limit = 24 << 20
    case.expect(None if t.nbytes > 2 * limit else "the table is too small", "size")
    ours = pa.table(inarch.open_table(case.path, memory=limit).scan())
    case.expect(exact.tables_differ(ours, t), f"{t.nbytes >> 20} MB under a limit of {limit >> 20} MB")


def run(job):
    direction, kind, n, variant, place, seed = job
    global lance, inarch
    import lance
    import inarch
    stable, version = variant
    name = f"{direction} {kind} {n}" + (f" stable={stable} version={version or 'default'}" if direction == "theirs" else "")
    case = Case(place, name, kind, n, seed)
    began = time.time()
    try:
        if direction == "theirs":
            theirs(case, stable, version, n > 6000)
        else:
            {"ours": lambda c: ours(c, n > 6000), "evolved": evolved, "refused": refused, "held": held}[direction](case)
    except BaseException as e:  # the engine panics through BaseException
        if isinstance(e, KeyboardInterrupt):
            raise
        text = str(e) if isinstance(e, AssertionError) else traceback.format_exc(limit=-4)
        return name, case.checks, f"FAIL {name}: {text[:1500]}\n  kept at {case.path}", time.time() - began
    shutil.rmtree(case.path)
    return name, case.checks, None, time.time() - began


def jobs(long, place, seed):
    """Long: all. Quick: every type in both directions; variants, sizes around 1024 and directions of large ones take turns."""
    variants = [(True, None), (False, None), (True, "2.1"), (False, "2.2"), (True, "2.2"), (False, "2.1")]
    out, turn = [], seed
    for at, kind in enumerate(TYPES):
        for n in SIZES + ([1000000] if kind in MILLION and (long or kind in ("i64", "string")) else []):
            turn += 1
            big = n >= 70000
            if not long and 1023 <= n <= 1025 and n != 1023 + (at + seed) % 3:
                continue
            if not long and big and kind not in SCALARS and kind not in ("list<string>", "list<f64>", "fsl3", "fsl64"):
                continue
            one_way = ("ours", "theirs")[(at + (n > 6000) + seed) % 2] if not long and 5000 <= n < 1000000 else ""
            if one_way != "ours":
                for v in variants if long and not big else [variants[turn % len(variants)]]:
                    out.append(("theirs", kind, n, v, place, seed))
            if one_way != "theirs":
                out.append(("ours", kind, n, (True, None), place, seed))
    out += [("evolved", kind, 1500, (True, None), place, seed) for kind in ("string", "i64", "fsl3", "list<i32>")]
    out.append(("refused", "string", 10, (True, None), place, seed))
    out += [("held", "fsl64", 100000, (True, None), place, seed), ("held", "fsl300", 30000, (True, None), place, seed)]
    return sorted(out, key=lambda j: -j[2])  # the long ones first


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--long", action="store_true")
    ap.add_argument("--only", default="")
    ap.add_argument("--jobs", type=int, default=os.cpu_count())
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--slow", action="store_true", help="print what took longest")
    a = ap.parse_args()
    place = tempfile.mkdtemp(prefix="inarch-matrix-")
    work = [j for j in jobs(a.long, place, a.seed) if a.only in f"{j[0]} {j[1]} {j[2]}"]
    began, failed, checks, times = time.time(), 0, 0, []
    with multiprocessing.get_context("spawn").Pool(a.jobs) as pool:
        for name, n, error, took in pool.imap_unordered(run, work):
            checks += n
            times.append((took, name))
            if error:
                failed += 1
                print(error, flush=True)
    if a.slow:
        print(*(f"{t:6.2f} s  {n}" for t, n in sorted(times)[-15:]), sep="\n")
    print(f"{len(work)} tables of {len(TYPES)} types, {checks} comparisons, {failed} tables failed; "
          f"{time.time() - began:.0f} s")
    if not failed:
        shutil.rmtree(place)
    return 1 if failed or not checks else 0


if __name__ == "__main__":
    sys.exit(main())

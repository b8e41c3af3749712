#!/usr/bin/env python3
"""Random graphs with forks of forks, grafts of each kind, criss-cross merges and deleted branches in the real engine.

    graph_histories.py [--count N] [--seed N] [--ops N] [--jobs N]       (INARCH_LIBRARY; needs pylance and pyarrow)

Each history is played against the oracle (tests/property); then every table at every published version, also of
deleted branches, is opened in the engine and compared with the export, validated, and its tags and branches listed.
"""
import argparse
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "property"), os.path.join(HERE, "..", "..", "python")]


def check_refs(lance, path, used):
    """The engine lists tags and branches of every dataset; each branch in use is there, and held."""
    tags = 0
    for name in sorted(os.listdir(path)):
        if not name.endswith(".lance"):
            continue
        ds = lance.dataset(os.path.join(path, name))
        listed, held = ds.branches.list(), ds.tags.list()
        want = used.get(name, set())
        missing = {b for b in want if b and b not in listed}
        if missing:
            raise AssertionError(f"{name}: the engine does not list the branches {sorted(missing)}")
        holds = {t: v for t, v in held.items() if t.startswith("inarch-hold-")}
        bare = want - {v.get("branch") or "" for v in holds.values()}
        if bare:
            raise AssertionError(f"{name}: no hold tag on {sorted(bare)}: {held}")
        for tag, v in holds.items():
            ds.checkout_version(tag).count_rows()
        tags += len(holds)
    return tags


def check_stamps(lance, inarch, path, key):
    """Ours and the engine agree on row ids, addresses and row versions of one table version."""
    import exact
    import pyarrow as pa
    directory, branch, version = key
    ds = lance.dataset(directory).checkout_version((branch or None, version))
    names = [f.name for f in ds.schema] + ["_rowid", "_rowaddr", "_row_created_at_version",
                                           "_row_last_updated_at_version"]
    theirs = ds.to_table(columns=names)
    t = inarch.open_table(directory, branch=branch or None, version=version)
    why = exact.tables_differ(pa.table(t.scan(names)), theirs)
    if why:
        raise AssertionError(f"{key}: {why}")
    ids = theirs.column("_rowid").to_pylist()
    if len(set(ids)) != len(ids):
        raise AssertionError(f"{key}: a row id occurs twice")
    if ids:
        got = ds._take_rows(ids[::-1], columns=names[:-4])
        why = exact.tables_differ(pa.table(t.take(ids[::-1], names[:-4])), got, False)
        if why or exact.tables_differ(got, theirs.select(names[:-4]).take(list(range(len(ids)))[::-1]), False):
            raise AssertionError(f"{key}: rows taken by id differ: {why}")
    ds.validate()


def one(job):
    import inarch
    import lance
    from engine_tables import check_graph
    from histories import History
    seed, ops, adopt, where = job
    h = History(seed, ops, where)
    h.adopt = adopt
    try:
        stats = h.run()
        with inarch.open(h.path) as g:
            live = {c["id"] for b in g.branches() for c in g.commits(b)}
            commits = sorted(live | set(h.ids.values()))
            opened, used = set(), {}
            check_graph(h.path, commits=commits, opened=opened)
            for b in g.branches():
                for t in g.snapshot(b)["tables"]:
                    used.setdefault(os.path.basename(t["path"]), set()).add(t["lance_branch"] or "")
        for key in opened:
            check_stamps(lance, inarch, h.path, key)
        tags = check_refs(lance, h.path, used)
        nested = sum(bool(v.get("parent_branch")) for d in used for v in
                     lance.dataset(os.path.join(h.path, d)).branches.list().values())
    except BaseException as e:  # the engine panics through BaseException
        if isinstance(e, KeyboardInterrupt):
            raise
        text = str(e) if isinstance(e, AssertionError) else traceback.format_exc(limit=-4)
        return seed, None, f"FAIL history {seed} ({adopt}): {text}\n  graph kept at {h.path}"
    shutil.rmtree(h.path)
    return seed, dict(merges=stats["merges"], criss=stats["criss"], deleted=len(h.dead), versions=len(opened),
                      forks=sum(bool(k[1]) for k in opened), nested=nested, tags=tags), None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--count", type=int, default=24)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--ops", type=int, default=80)
    ap.add_argument("--jobs", type=int, default=os.cpu_count())
    a = ap.parse_args()
    where = tempfile.mkdtemp(prefix="inarch-graphs-")
    work = [(a.seed + k, a.ops, ("link", "reference", "copy")[k % 3], where) for k in range(a.count)]
    total, failed, began = {}, 0, time.time()
    with multiprocessing.get_context("spawn").Pool(a.jobs) as pool:
        for _, stats, error in pool.imap_unordered(one, work):
            if error:
                failed += 1
                print(error, flush=True)
            else:
                total = {k: total.get(k, 0) + v for k, v in stats.items()}
    words = dict(merges="merges", criss="criss-cross", deleted="deleted branches", versions="table versions",
                 forks="of them on forks", nested="forks of forks", tags="hold tags")
    print(f"{a.count} graphs: " + ", ".join(f"{total.get(k, 0)} {w}" for k, w in words.items()) +
          f", open in the engine and equal the export; {failed} failed; {time.time() - began:.0f} s")
    tame = [w for k, w in words.items() if not total.get(k)] if not failed else []
    if tame:
        print(f"the histories are too tame: no {', '.join(tame)}")
    if not failed:
        shutil.rmtree(where)
    return 1 if failed or tame else 0


if __name__ == "__main__":
    sys.exit(main())

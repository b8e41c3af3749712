#!/usr/bin/env python3
"""open_tables.py - opens every table of a graph, at every published version, with the real engine.

Usage: open_tables.py GRAPH      (needs pylance; `inarch` must be on the path)

Row counts must equal what the commits say; the newest version of each table on each branch is read
whole, column by column.
"""
import json
import subprocess
import sys
import time

import lance


def inarch(*arguments):
    done = subprocess.run(["inarch", *arguments, "--json"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def open_at(path, branch, version):
    if branch == "main":
        return lance.dataset(path, version=version)
    return lance.dataset(path).checkout_version((branch, version))


def main(store):
    heads = inarch("branch", "list", "--tables", "--store", store)["branches"]
    published, newest = {}, set()
    for branch in heads:
        for commit in inarch("commit", "list", "--branch", branch["name"], "--store", store)["commits"]:
            for t in inarch("snapshot", "--snapshot", commit["graph_commit_id"], "--store", store)["datasets"]:
                key = t["dataset_path"], t["native_dataset_branch"], t["published_dataset_version"]
                published[key] = t["entity_count"]
        for t in branch["tables"]:
            newest.add((t["dataset_path"], t["lance_branch"] or "main", t["lance_version"]))
    start = time.monotonic()
    rows, bad = 0, 0
    for key, count in sorted(published.items()):
        dataset = open_at(*key)
        got = dataset.count_rows()
        if got != count:
            print(f"{key}: {got} rows, the commit says {count}", file=sys.stderr)
            bad += 1
        if key in newest:
            read = sum(batch.num_rows for batch in dataset.to_batches())
            rows += read
            if read != count:
                print(f"{key}: {read} rows read, the commit says {count}", file=sys.stderr)
                bad += 1
    print(f"lance {lance.__version__} opened {len(published)} published versions of "
          f"{len({key[0] for key in published})} datasets on {len(heads)} branches, "
          f"read {rows} rows of the newest ones in {time.monotonic() - start:.1f} s, {bad} differences")
    return 1 if bad or not published else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))

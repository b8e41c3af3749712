#!/usr/bin/env python3
"""Many commits through one handle that may open few files: every read and write goes on."""

import pathlib
import resource
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import inarch  # noqa: E402

FILES = 256
COMMITS = 160
SCHEMA = "node Person {\n  name: String @key\n  age: I32\n}\n"
INSERT = "query q($n: String) { insert Person { name: $n age: 1 } }"
ALL = "query a() { match { $p: Person } return { $p.name as name } }"


def main() -> int:
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
    with tempfile.TemporaryDirectory() as home:
        path = home + "/people"
        inarch.create(path, SCHEMA, durability="relaxed")
        with inarch.open(path, durability="relaxed") as graph:
            for i in range(COMMITS):
                graph.mutate(INSERT, params={"n": f"person {i}"})
            rows = graph.query(ALL)["rows"]
    if sorted(row["name"] for row in rows) != sorted(f"person {i}" for i in range(COMMITS)):
        print(f"{len(rows)} people read, {COMMITS} inserted")
        return 1
    print(f"{COMMITS} commits and a read of all their files with at most {FILES} open files")
    return 0


sys.exit(main())

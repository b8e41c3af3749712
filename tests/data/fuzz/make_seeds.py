#!/usr/bin/env python3
"""make_seeds.py - makes the seed inputs of the fuzzers: files of the real engine (pylance) and ours.

Usage: make_seeds.py FUZZ_SEEDS  (the program fuzz_seeds of a build). Inputs whose names begin with
"seed-" are replaced; all others (found by fuzzing, kept as regressions) stay. Seeds of `file` are not
made here: they are tests/data/lance, files and files20."""
import glob
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import lance
import pyarrow as pa

import page_seeds

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.dirname(HERE)
LIMIT = 100_000


def save(fuzzer, name, data):
    folder = os.path.join(HERE, fuzzer)
    os.makedirs(folder, exist_ok=True)
    if isinstance(data, str):
        data = data.encode()
    with open(os.path.join(folder, "seed-" + name), "wb") as f:
        f.write(data)


def read(path):
    with open(path, "rb") as f:
        return f.read()


# ---- protobuf by hand ----------------------------------------------------------------------------

def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def message(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def ids(*segments):
    return b"".join(message(1, s) for s in segments)


def row_ids():
    span = lambda a, b: number(1, a) + number(2, b)
    u16 = message(1, number(1, 1000) + message(2, struct.pack("<3H", 1, 5, 9)))
    u32 = message(2, number(1, 1 << 40) + message(2, struct.pack("<3I", 1, 70000, 90000)))
    u64 = message(3, message(2, struct.pack("<3Q", 7, 1 << 50, 3)))
    yield "range", ids(message(1, span(0, 6)))
    yield "holes", ids(message(2, span(1000, 1020) + message(3, u16)))
    yield "bitmap", ids(message(3, span(8, 19) + message(3, b"\xa5\x03")))
    yield "sorted", ids(message(4, u32))
    yield "array", ids(message(5, u64))
    yield "many", ids(message(1, span(0, 6)), message(1, span(6, 9)), message(4, u16),
                      message(5, u64), message(3, span(8, 19) + message(3, b"\xa5\x03")))


def versions():
    run = lambda n, v: message(1, message(1, message(1, number(1, 0) + number(2, n))) + number(2, v))
    yield "one", run(6, 3)
    yield "three", run(2, 1) + run(3, 2) + run(1, 5)


# ---- files of the real engine --------------------------------------------------------------------

def save_manifest(name, data):
    at = struct.unpack("<Q", data[-16:-8])[0]
    size = struct.unpack("<I", data[at:at + 4])[0]
    save("manifest", name, data)
    save("manifest", name + "-body", data[at + 4:at + 4 + size])


def engine(place):
    root = os.path.join(place, "t.lance")
    rows = pa.table({"i": pa.array(range(1, 7), pa.int64()),
                     "s": pa.array(["one", None, "three", "four", "five", None]),
                     "l": pa.array([[1], [], None, [1, 2, 3], None, None], pa.list_(pa.int32()))})
    ds = lance.write_dataset(rows, root, enable_stable_row_ids=True, data_storage_version="2.1")
    ds = lance.write_dataset(rows, root, mode="append")
    ds.delete("i = 2")
    ds.update({"s": "'z'"}, where="i = 4")
    branch = ds.create_branch("side")
    branch.delete("i = 3")
    ds.tags.create("v1", 2)
    for i, path in enumerate(sorted(glob.glob(root + "/_versions/*.manifest"))):
        save_manifest(f"engine-{i}", read(path))
    for path in glob.glob(root + "/tree/side/_versions/*.manifest"):
        save_manifest("engine-branch-" + os.path.basename(path)[18:20], read(path))
    for i, path in enumerate(sorted(glob.glob(root + "/_transactions/*.txn"))):
        save("txn", f"engine-{os.path.basename(path).split('-')[0]}", read(path))
    for path in glob.glob(root + "/_deletions/*.arrow"):
        save("deletions", "engine.arrow", b"a" + read(path))
    for kind in ("tags", "branches"):
        for path in glob.glob(root + f"/_refs/{kind}/*.json"):
            save("lance_refs", kind, read(path))
    many = os.path.join(place, "many.lance")
    ds = lance.write_dataset(pa.table({"i": pa.array(range(20_000), pa.int32())}), many)
    ds.delete("i % 3 = 0")
    for path in glob.glob(many + "/_deletions/*.bin"):
        save("deletions", "engine.bin", b"b" + read(path)[:LIMIT // 2])


def ours(place, program):
    subprocess.run([program, place], check=True)
    save("commit", "write", read(place + "/commit.json"))
    save("catalog_json", "all", read(place + "/catalog.json"))
    save_manifest("table", read(place + "/table.manifest"))
    commit = json.loads(read(place + "/commit.json"))
    entry = commit["entries"][0]
    entry["lance_branch"], entry["fork"] = "b.1", {"parent": None, "parent_size": 9, "created_s": 5}
    commit["kind"] = "merge"
    commit["parents"] *= 2
    commit["routes"] = [{"type": entry["type"], "key": "node:Company", "route": "graft", "reason": "r"}]
    save("commit", "merge", json.dumps(commit))
    for name in glob.glob(DATA + "/table/*.manifest"):
        save_manifest(os.path.basename(name).split(".")[0], read(name))
    for name in glob.glob(DATA + "/arrow/*.arrow"):
        save("deletions", os.path.basename(name), b"a" + read(name))


# ---- texts ---------------------------------------------------------------------------------------

PEOPLE = """node Person {
    name: String @key
    age: I32?
}
node Company {
    name: String @key
}
edge Knows: Person -> Person {
    since: Date?
}
edge WorksAt: Person -> Company
"""

SCHEMA = """// a comment
interface N { name: String @index }
node Person @description("p") @instruction("i") implements N {
  age: I32? @x(1, y="z")
  kind: enum(a, b-c, 2d)
  v: Vector(3)? @embed(name, model="m")
  tags: [String]? ; when: DateTime? ; ok: Bool?
  old: String? @rename_from("older")
  @key(name)
  @unique(age, kind)
  @index(age)
  @range(age, -1..150)
  @check(name, "^[a-z]+$")
}
edge Knows: Person -> Person @card(0..5) { since: Date? @unique(src, dst) }
"""

QUERIES = {
    "read": """query q($who: String?, $n: [I32]) @description("d") {
  match { $p: Person { name: $who } $p $w: <knows>{1,1} $f not { $f knows{1,2} $_ $f.age > 3 }
    $f.tags contains "y" $w.since >= date("2020-01-01") $f.kind != "a" }
  return { $p.name, count($f) as n, min($f.age) as youngest, $who }
  order { n desc, $p.name } limit 10
}
""",
    "plain": """query all() { match { $p: Person $p knows $q $q.age >= 20 } return { $p, $q.name as b, $p.v }
 order { b desc } limit 3 }
query groups() { match { $p: Person } return { $p.kind, count($p) as n, avg($p.age) as a, sum($p.long) as s } }
query hops() { match { $p: Person { name: "Alice" } $p knows{1,3} $q } return { $q.name, $q.seen, now() as t } }
query none() { match { $c: Company not { $p worksAt $c } } return { $c.name } }
""",
    "write": """query m() {
  insert Person { name: "New", kind: "a", v: [1, 2, 3.5], tags: ["a"], born: date("2020-01-01") }
  insert Knows { from: "Alice" to: "New" }
  update Person set { age: 3, mail: "x@y" } where age > 26
}
query d() { delete Person where name = "Bob" delete Knows where from = "Alice" }
""",
}

LOADS = {
    "append": """{"type":"Person","data":{"name":"Eve","age":30,"kind":"a","v":[1,2,3],"tags":["x","y"],"mail":"a@b"}}
{"type":"Company","data":{"name":"Globex"}}
{"edge":"Knows","from":"Alice","to":"Eve","data":{"since":"2020-01-01"}}
{"edge":"WorksAt","from":"Eve","to":"Globex"}
""",
    "merge": """m{"type":"Person","data":{"name":"Alice","age":31,"score":1e300,"small":-0.5,"big":18446744073709551615}}
{"type":"Person","data":{"name":"New","born":"1999-12-31","seen":"2024-01-01T01:00:00+01:00","ok":false,"nums":[1,-2]}}

{"edge":"Knows","from":"Alice","to":"New","data":{"id":"k9"}}
""",
    "overwrite": """o{"type":"Person","data":{"name":"Z","long":-9223372036854775808,"count":4294967295}}
{"type":"Company","data":{"name":"\\u00e9\\ud83d\\ude00"}}
{"edge":"WorksAt","from":"Z","to":"\\u00e9\\ud83d\\ude00","data":{}}
""",
}

FILTERS = [
    "i > 3 and s = 'ab'", "not (b or i is null)", "s like 'a%' or s like '_b' and u >= 18446744073709551615",
    "l in (1, 2, null) and d between -0.5 and 1e3", "day >= date '1970-01-03' or ts < timestamp '1970-01-01 00:00:01'",
    "array_has(tags, 'a') and starts_with(s, 'a') or contains(s, 'b')", "bin = x'6162' and `i8` <> -18",
    "\"f\" <= .5 and h is not null and b is not true and s not in ('x')", "t64 = time '00:00:00.000000001'",
    "((((i = 1))))", "s = 'it''s' and ms < date '2000-01-01'",
]

RECORDS = {
    "commit-same": "c{}", "commit-rows": 'c{"entries":{"1":{"rows":99}}}',
    "commit-version": 'c{"entries":{"0":{"last_version":1,"first_version":1,"staged":null}}}',
    "commit-dir": 'c{"entries":{"2":{"dir":"Person.lance"}}}', "commit-none": 'c{"entries":[]}',
    "commit-fork": 'c{"entries":{"1":{"lance_branch":"x","fork":{"parent":null,"parent_size":1,"created_s":2}}}}',
    "commit-kind": 'c{"kind":"delete"}', "commit-parent": 'c{"parents":{"0":{"n":5}}}',
    "commit-merge": 'c{"kind":"merge","parents":[]}', "commit-schema": 'c{"schema":"x"}',
    "branch-same": "b{}", "branch-life": 'b{"life":1}', "branch-fork": 'b{"fork":{"n":0}}',
    "branch-name": 'b{"name":"main"}', "format-same": "f{}", "format-root": 'f{"root":"/other"}',
    "format-main": 'f{"main":"01HF7Z9AJ3C7ZC12N87DHZ3VG8"}', "raw": "c{\"format\":1,",
}


# The first byte chooses the reader's options.
CSV = {
    "all": '\0i,f,b,d,t,s\n1,1.5,true,2024-02-29,2024-01-01T01:00:00Z,x\n-9223372036854775808,1e300,false,1970-01-01,'
           '2024-01-01T01:00:00.000001+01:00,"a ""b"", c\nd"\n,,,,,""\n',
    "no-header": '\3a;b\r\n"1";\u00e9\r\n2;"x;y"\r\n',
    "batches": "\14\ufeffn\n1\n2\n\n3\n4\n",
    "later-misfit": "\4n,m\n1,\nx,2\n",
}

JSONL = {
    "all": '\0{"b":true,"i":-9223372036854775808,"f":1.5,"s":"\\u00e9\\ud83d\\ude00","l":[1,null,2],'
           '"o":{"x":1,"y":[{"z":"q"}]},"n":null}\n{"i":1,"f":3,"l":[],"o":{"x":null,"y":null}}\n{}\n',
    "batches": '\14{"a":1}\n\n{"a":2,"a2":3}\n{"a":4}\n{"a":5}\n',
    "nested": '\0{"a":[[1],[2.5,null]],"b":[{"c":[]}]}\n',
}


def texts():
    for name, text in CSV.items():
        save("csv", name, text)
    for name, text in JSONL.items():
        save("jsonl", name, text)
    save("jsonl", "types", b"\0" + read(DATA + "/arrow/ipc_types.jsonl"))
    for path in glob.glob(DATA + "/arrow/*.arrow") + glob.glob(DATA + "/arrow/*.arrows"):
        save("ipc", os.path.basename(path), read(path))
    save("schema", "people", PEOPLE)
    save("schema", "all", SCHEMA)
    for name, text in QUERIES.items():
        save("query", name, text)
    for name, text in LOADS.items():
        save("load", name, text)
    for i, text in enumerate(FILTERS):
        save("filter", "%02d" % i, text)
    for name, text in RECORDS.items():
        save("records", name, text)
    save("json", "all", '{"a":[1,-2,3.5e-7,1e308,18446744073709551615,-9223372036854775808,true,false,null],'
                        '"\\u00e9\\ud83d\\ude00\\n":"\\"\\\\\\/\\b\\f\\n\\r\\t","":{"":[]},"x":-0.0}')
    save("json", "deep", "[" * 64 + "]" * 64)
    save("params", "all", '{"s":"a\\u0000b","i":"25","l":9007199254740993,"u":4294967295,"w":9223372036854775807,'
                          '"f":3,"g":1.5,"b":true,"d":"2024-02-29","t":"2024-01-01T01:00:00+01:00","ls":[1,"-2"],'
                          '"v":[1,0.5,2],"o":null,"lf":[1.5]}')
    save("params", "none", "null")
    save("rows", "all", '{"a":true,"b":-128,"c":32767,"d":1,"e":-9223372036854775808,"f":255,"g":65535,'
                        '"h":4294967295,"i":18446744073709551615,"j":1.5,"k":1e300,"l":"\\u00e9","m":"2024-02-29",'
                        '"n":"2024-01-01T01:00:00Z","o":"x","p":"2024-01-01T01:00:00.000001Z","q":[1,2],"r":[1,2.5]}\n'
                        '{"m":19782,"n":1704067200000,"q":[]}\n{}\n')


def clean():
    for path in glob.glob(HERE + "/*/seed-*"):
        os.remove(path)


def main():
    clean()
    texts()
    for name, data in row_ids():
        save("rowids", name, b"r" + data)
    for name, data in versions():
        save("rowids", "versions-" + name, b"v" + data)
    page_seeds.make(save)
    for work in (engine, lambda place: ours(place, sys.argv[1])):
        place = tempfile.mkdtemp()
        work(place)
        shutil.rmtree(place)
    for folder in sorted(set(os.listdir(HERE)) - {"file"}):
        size = sum(os.path.getsize(p) for p in glob.glob(f"{HERE}/{folder}/*"))
        if size > LIMIT:
            sys.exit(f"the inputs of {folder} take {size} bytes, more than {LIMIT}")


if __name__ == "__main__":
    main()

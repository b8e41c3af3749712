#!/bin/bash
# The file commands: every format in and out, parts of files, descriptions, bad input.
. "$(dirname "$0")/lib.sh"
cat >rows.jsonl <<'E'
{"id":1,"name":"Ada","tags":["a","b"],"place":{"town":"London","code":12}}
{"id":2,"name":null,"tags":[],"place":null}
{"id":3,"name":"","tags":null,"place":{"town":null,"code":null}}
{"id":4,"name":"Grace, \"G\"","tags":["c"],"place":{"town":"New York","code":7}}
E

# write and cat: what goes in comes out
ok file write rows.lance --data rows.jsonl
expect_out 'wrote rows.lance: 4 rows, 5 columns, '
ok file cat rows.lance
expect_out_is "$(cat rows.jsonl)"
for format in arrow arrow-file; do
    "$INARCH" file cat rows.lance --format $format >rows.$format || { checks=$((checks + 1)); failed "cat $format"; }
    ok file write "$format.lance" --data rows.$format --json
    expect_json '[j["rows"], j["columns"]]' '[4, 5]'
    ok file cat "$format.lance"
    expect_out_is "$(cat rows.jsonl)"
done
ok file cat rows.lance --columns id,name --format csv
expect_out_is 'id,name
1,Ada
2,
3,""
4,"Grace, ""G"""'
printf '%s\n' "$out" >rows.csv
ok file write csv.lance --data rows.csv --version 2.2
ok file cat csv.lance --columns id,name
expect_out_is '{"id":1,"name":"Ada"}
{"id":2,"name":null}
{"id":3,"name":""}
{"id":4,"name":"Grace, \"G\""}'
run_in "$(cat rows.jsonl)" file write stdin.lance --data - --from jsonl --compression zstd --page-bytes 64
expect_exit 0
ok file cat stdin.lance
expect_out_is "$(cat rows.jsonl)"
ok file write typed.lance --data rows.csv --schema <("$INARCH" file cat rows.lance --columns id,name --format arrow)
ok file cat typed.lance --rows 3:
expect_out_is '{"id":4,"name":"Grace, \"G\""}'

# parts
ok file cat rows.lance --columns place.town,id --rows 0:2
expect_out_is '{"place":{"town":"London"},"id":1}
{"place":null,"id":2}'
ok file cat rows.lance --columns id --take 3,0,3
expect_out_is '{"id":4}
{"id":1}
{"id":4}'
ok file cat rows.lance --columns id --rows 2: --batch 1
expect_out_is '{"id":3}
{"id":4}'
ok file cat rows.lance --columns id --threads 2
expect_out '{"id":4}'

# descriptions
ok file info rows.lance
expect_out 'version: 2.1'
expect_out 'rows: 4'
expect_out 'place.town: string: '
expect_out 'mini['
ok file info rows.lance --pages --measure
expect_out 'buffer 0: '
expect_out 'ratio'
ok file info csv.lance --json
expect_json '[j["version"], j["rows"], [c["path"] for c in j["columns"]]]' '["2.2", 4, ["id", "name"]]'
expect_json 'all(p["layout"] and p["text"] for c in j["columns"] for p in c["pages"])'
expect_json 'sum(b["size"] for c in j["columns"] for p in c["pages"] for b in p["buffers"]) == sum(c["bytes"] for c in j["columns"])'
ok file write many.lance --data <(seq 1 30000 | sed '1i n') --from csv --page-bytes 20000
ok file info many.lance
expect_out ' in '
ok file info many.lance --json
expect_json 'len(j["columns"][0]["pages"]) > 1'
expect_json 'sum(p["rows"] for p in j["columns"][0]["pages"])' 30000
ok file verify rows.lance csv.lance many.lance
expect_out_is 'rows.lance: ok, 4 rows
csv.lance: ok, 4 rows
many.lance: ok, 30000 rows'

# no rows
: >empty.jsonl
printf 'a,b\n' >empty.csv
ok file write empty.lance --data empty.csv
ok file cat empty.lance
expect_no_out
ok file cat empty.lance --format csv
expect_out_is 'a,b'
ok file verify empty.lance
expect_out_is 'empty.lance: ok, 0 rows'

# bad input: one clear message
refused 1 'rows.lance' file write rows.lance --data rows.jsonl
expect_err 'already there'
refused 1 'none.jsonl' file write x.lance --data none.jsonl
refused 2 '--data' file write x.lance
refused 2 'OUT' file write --data rows.jsonl
refused 2 '--version 2.0' file write x.lance --data rows.jsonl --version 2.0
refused 2 '--page-bytes much' file write x.lance --data rows.jsonl --page-bytes much
refused 1 'rot13' file write x.lance --data rows.jsonl --encoding rot13
refused 1 'gzip' file write x.lance --data rows.jsonl --compression gzip
refused 1 'papyrus' file write x.lance --data rows.jsonl --from papyrus
printf '{"a":1}\n{"a":\n' >bad.jsonl
refused 1 'bad.jsonl:2' file write x.lance --data bad.jsonl
printf 'a,b\n1,2\n3\n' >bad.csv
refused 1 'bad.csv:3' file write x.lance --data bad.csv
head -c 200 rows.arrow >bad.arrow
refused 1 'bad.arrow' file write x.lance --data bad.arrow
checks=$((checks + 1))
[ ! -e x.lance ] || failed "a refused write left a file"
refused 1 'nofile.lance' file info nofile.lance
refused 1 'rows.jsonl' file info rows.jsonl
refused 1 'colour' file cat rows.lance --columns colour
refused 1 'place.colour' file cat rows.lance --columns place.colour
refused 1 'papyrus' file cat rows.lance --format papyrus
refused 1 'row 4' file cat rows.lance --take 4
refused 1 '4 rows' file cat rows.lance --rows 3:9
refused 2 '--rows 3:1' file cat rows.lance --rows 3:1
refused 2 '--rows x' file cat rows.lance --rows x
refused 2 '--take 1,x' file cat rows.lance --take 1,x
refused 2 'exclude each other' file cat rows.lance --take 1 --rows 0:1
refused 2 'FILE' file cat
refused 2 'FILE' file verify
refused 2 "unexpected argument 'b'" file info a b

# damage is found and named
python3 - <<'P'
b = bytearray(open("many.lance", "rb").read())
cut = open("cut.lance", "wb")
cut.write(b[:-30])
b[-36:-32] = b"\xff\xff\xff\xff"
open("columns.lance", "wb").write(b)
P
refused 1 'cut.lance' file verify cut.lance
refused 1 'columns.lance' file verify columns.lance
run file verify cut.lance rows.lance columns.lance
expect_exit 1
expect_out_is 'rows.lance: ok, 4 rows'
expect_err 'cut.lance'
run file verify cut.lance rows.lance --json
expect_exit 1
expect_json '[(f["status"], f["rows"]) for f in j["files"]]' '[["corrupt", 0], ["ok", 4]]'

# the real engine reads what was written, and we read its files
python=$ROOT/.venv/bin/python
if "$python" -c 'import lance' 2>/dev/null; then
    checks=$((checks + 1))
    "$python" - <<'P' || failed "the real engine and we do not agree"
import json
import pyarrow as pa
from lance.file import LanceFileReader, LanceFileWriter
want = [json.loads(line) for line in open("rows.jsonl")]
for name in ("rows", "arrow", "stdin"):
    got = LanceFileReader(name + ".lance").read_all().to_table()
    assert got.to_pylist() == want, (name, got.to_pylist())
for version in ("2.0", "2.1", "2.2"):
    with LanceFileWriter(f"theirs{version}.lance", got.select(["id", "name", "tags"]).schema, version=version) as w:
        w.write_batch(got.select(["id", "name", "tags"]))
P
    for v in 2.0 2.1 2.2; do
        ok file info theirs$v.lance
        expect_out "version: $v"
        ok file cat theirs$v.lance --take 3 --columns tags,id
        expect_out_is '{"tags":["c"],"id":4}'
        ok file verify theirs$v.lance
    done
else
    echo "note: without the real engine, its files are not read"
fi

finish

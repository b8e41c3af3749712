// lancedb_tables.mjs - opens every table of a graph at every published version, on every branch, with
// @lancedb/lancedb, and compares its rows one by one with `inarch export --snapshot`.
// Usage: node tests/interop/lancedb_tables.mjs INARCH GRAPH     (node_modules/ by tools/npm.sh)
import { spawn, execFileSync } from "node:child_process";
import { createInterface } from "node:readline";
import { basename } from "node:path";
import * as lancedb from "@lancedb/lancedb";
import { DataType } from "apache-arrow";

const [inarch, graph] = process.argv.slice(2);
if (!graph) {
    console.error("usage: lancedb_tables.mjs INARCH GRAPH");
    process.exit(2);
}

function json(...args) {
    const out = execFileSync(inarch, [...args, "--store", graph, "--json"], { maxBuffer: 1 << 28 });
    return JSON.parse(out.toString());
}

// "node:Type" -> Map(id -> row), of the types asked for, straight from the export's lines.
async function exported(commit, types) {
    const args = ["export", "--snapshot", commit, "--store", graph];
    for (const type of new Set([...types].map((key) => key.split(":")[1]))) args.push("--type", type);
    const child = spawn(inarch, args, { stdio: ["ignore", "pipe", "inherit"] });
    const done = new Promise((resolve) => child.on("close", resolve));
    const out = new Map([...types].map((key) => [key, new Map()]));
    for await (const line of createInterface({ input: child.stdout, crlfDelay: Infinity })) {
        const x = JSON.parse(line);
        const rows = out.get(x.edge ? `edge:${x.edge}` : `node:${x.type}`);
        if (!rows) continue;
        const row = x.edge ? { ...x.data, src: x.from, dst: x.to } : x.data;
        rows.set(row.id, row);
    }
    const code = await done;
    if (code !== 0) throw new Error(`export of ${commit} failed with ${code}`);
    return out;
}

// A value of the engine in the form of the export: dates as days, instants as milliseconds.
function plain(value, type) {
    if (value === null || value === undefined) return null;
    if (DataType.isDate(type)) {
        const ms = Number(value);
        return type.unit === 0 ? Math.round(ms / 86400000) : ms;
    }
    if (DataType.isList(type) || DataType.isFixedSizeList(type))
        return Array.from(value, (item) => plain(item, type.children[0].type));
    return typeof value === "bigint" ? Number(value) : value;
}

function same(a, b) {
    if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((x, i) => same(x, b[i]));
    return a === b || (typeof a === "number" && Number.isNaN(a) && b === "NaN");
}

// Removes each row of the engine from `want`; what is left was not read.
function compare(table, want, where) {
    if (table.numRows !== want.size) throw new Error(`${where}: ${table.numRows} rows, the export has ${want.size}`);
    for (const batch of table.batches) {
        const columns = batch.schema.fields.map((field, k) => [field.name, field.type, batch.getChildAt(k)]);
        const ids = columns.find(([name]) => name === "id")[2];
        for (let i = 0; i < batch.numRows; i++) {
            const row = want.get(ids.get(i));
            if (!row) throw new Error(`${where}: ${ids.get(i)} is not in the export, or was read twice`);
            if (Object.keys(row).length !== columns.length) throw new Error(`${where}: other columns than the export`);
            for (const [name, type, values] of columns) {
                const got = plain(values.get(i), type);
                if (!same(got, row[name]))
                    throw new Error(`${where}: ${row.id}.${name} is ${JSON.stringify(got)}, exported ${JSON.stringify(row[name])}`);
            }
            want.delete(row.id);
        }
    }
    if (want.size) throw new Error(`${where}: ${want.size} rows were not read`);
}

const connection = await lancedb.connect(graph);
const names = await connection.tableNames({ limit: 1000 });
const seen = new Set();
let rows = 0;
for (const branch of json("branch", "list").branches) {
    for (const commit of json("commit", "list", "--branch", branch).commits) {
        const snapshot = json("snapshot", "--snapshot", commit.graph_commit_id);
        const fresh = snapshot.datasets.filter((d) => {
            const key = `${d.dataset_path} ${d.native_dataset_branch} ${d.published_dataset_version}`;
            return !seen.has(key) && seen.add(key);
        });
        if (!fresh.length) continue;
        const want = await exported(commit.graph_commit_id, new Set(fresh.map((d) => `${d.entity_kind}:${d.type_name}`)));
        for (const d of fresh) {
            const name = basename(d.dataset_path, ".lance");
            if (!names.includes(name)) throw new Error(`${name} is not among the tables that a connection lists`);
            const options = { version: d.published_dataset_version };
            if (d.native_dataset_branch !== "main") options.branch = d.native_dataset_branch;
            const table = await connection.openTable(name, undefined, options);
            const where = `${name} ${d.native_dataset_branch} @ ${d.published_dataset_version}`;
            if ((await table.version()) !== options.version) throw new Error(`${where}: opened another version`);
            compare(await table.query().toArrow(), want.get(`${d.entity_kind}:${d.type_name}`), where);
            rows += d.entity_count;
            table.close();
        }
    }
}
if (!seen.size) throw new Error("no published version found");
console.log(`${seen.size} published versions, ${rows} rows: @lancedb/lancedb reads what the export says`);

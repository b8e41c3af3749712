// lancedb_tables.mjs - opens every table of a graph at every published version, on every branch, with
// @lancedb/lancedb, and compares its rows one by one with `inarch export --snapshot`.
// Usage: node tests/interop/lancedb_tables.mjs INARCH GRAPH     (node_modules/ by tools/npm.sh)
import { spawn, execFileSync } from "node:child_process";
import { createInterface } from "node:readline";
import { basename } from "node:path";
import * as lancedb from "@lancedb/lancedb";
import { compare } from "./lancedb_values.mjs";

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

// lancedb_writes.mjs - @lancedb/lancedb writes, inarch reads: tables of its own after every kind of change, and what
// happens when it writes into a graph's tables.
// Usage: node tests/interop/lancedb_writes.mjs INARCH DIR GRAPH [ROWS]     (node_modules/ by tools/npm.sh)
// DIR is made and holds its tables; GRAPH is a graph with a node type Tree in several fragments; it is spoilt.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import * as lancedb from "@lancedb/lancedb";
import * as arrow from "apache-arrow";
import { compare } from "./lancedb_values.mjs";

const [inarch, dir, graph, count] = process.argv.slice(2);
if (!graph) {
    console.error("usage: lancedb_writes.mjs INARCH DIR GRAPH [ROWS]");
    process.exit(2);
}
const ROWS = Number(count ?? 3000);
let checks = 0;

function run(...args) {
    const p = spawnSync(inarch, args, { maxBuffer: 1 << 29, encoding: "utf8" });
    if (p.error) throw p.error;
    return p;
}

function must(...args) {
    const p = run(...args);
    if (p.status !== 0) throw new Error(`inarch ${args.join(" ")}: exit ${p.status}: ${p.stderr}`);
    return p.stdout;
}

function check(condition, text) {
    checks++;
    if (!condition) throw new Error(text);
}

const list = (type) => new arrow.List(new arrow.Field("item", type, true));
const SCHEMA = new arrow.Schema([
    new arrow.Field("id", new arrow.Int64(), false),
    new arrow.Field("text", new arrow.Utf8(), true),
    new arrow.Field("flag", new arrow.Bool(), true),
    new arrow.Field("small", new arrow.Int32(), true),
    new arrow.Field("unsigned", new arrow.Uint32(), true),
    new arrow.Field("large", new arrow.Uint64(), true),
    new arrow.Field("half", new arrow.Float32(), true),
    new arrow.Field("whole", new arrow.Float64(), true),
    new arrow.Field("day", new arrow.DateDay(), true),
    new arrow.Field("instant", new arrow.DateMillisecond(), true),
    new arrow.Field("vector", new arrow.FixedSizeList(16, new arrow.Field("item", new arrow.Float32(), true)), true),
    new arrow.Field("words", list(new arrow.Utf8()), true),
    new arrow.Field("numbers", list(new arrow.Int64()), true),
]);

let seed = 12345;
function random(n) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * n);
}

function row(id) {
    // Rows whose id ends in 0 have every value: JavaScript sends a column without any in a form the engine refuses.
    const maybe = (make) => (random(5) === 0 && id % 10 !== 0 ? null : make());
    const many = (make) => Array.from({ length: random(4) }, make);
    return {
        id: BigInt(id),
        text: maybe(() => ["", "alpha", "béta", "日本語", "x".repeat(random(200))][random(5)]),
        flag: maybe(() => random(2) === 1),
        small: maybe(() => random(2147483647) - 1000000),
        unsigned: maybe(() => random(2147483647) * 2),
        large: maybe(() => BigInt(random(2147483647)) * 1000000n),
        half: maybe(() => random(1000) / 10),
        whole: maybe(() => random(2147483647) / 7),
        day: maybe(() => new Date(86400000 * (random(30000) - 1000))),
        instant: maybe(() => new Date(random(2147483647) * 800)),
        vector: maybe(() => Array.from({ length: 16 }, () => random(1000) / 8)),
        words: maybe(() => many(() => `w${random(9)}`)),
        numbers: maybe(() => many(() => BigInt(random(1000)))),
    };
}

const rows = (first, n) => lancedb.makeArrowTable(Array.from({ length: n }, (_, k) => row(first + k)), { schema: SCHEMA });

// The engine's rows against `inarch table scan` at that version; a filter and a count with both.
async function agree(table, name, what, branch) {
    const path = join(dir, `${name}.lance`);
    const version = await table.version();
    const at = ["--version", String(version), ...(branch ? ["--branch", branch] : [])];
    const scan = (...more) => {
        const lines = must("table", "scan", path, "--format", "jsonl", ...at, ...more).split("\n").filter(Boolean);
        const all = lines.map((line) => JSON.parse(line));
        return new Map(all.map((r) => [r.id, r]));
    };
    const where = `${name} version ${version} (${what})`;
    compare(await table.query().toArrow(), scan(), where);
    const filter = "small > 1000 AND text IS NOT NULL";
    compare(await table.query().where(filter).toArrow(), scan("--filter", filter), `${where}, filter`);
    const n = Number(must("table", "count", path, ...at, "--filter", filter));
    check(n === (await table.countRows(filter)), `${where}: counts differ`);
    checks += 2;
}

async function ownTable(connection, name, empty) {
    const table = empty
        ? await connection.createEmptyTable(name, SCHEMA)
        : await connection.createTable(name, rows(0, ROWS), { schema: SCHEMA });
    await agree(table, name, "created");
    await table.add(rows(ROWS, 100));
    await table.add(rows(ROWS + 100, 1));
    await agree(table, name, "add");
    await table.delete("id % 7 = 3");
    await agree(table, name, "delete");
    await table.update({ where: "id % 5 = 1", valuesSql: { small: "id * 3", text: "'changed'" } });
    await agree(table, name, "update");
    await table.mergeInsert("id").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows(ROWS + 50, 80));
    await agree(table, name, "mergeInsert");
    await table.optimize();
    await agree(table, name, "optimize");
    const refused = run("table", "append", join(dir, `${name}.lance`), "--data", "/dev/null");
    check(refused.status === 0, `append of nothing to ${name}: ${refused.stderr}`);
    await table.createIndex("id", { config: lancedb.Index.btree() });
    await table.add(rows(ROWS + 500, 10));
    await agree(table, name, "index and add");
    const branches = await table.branches();
    const side = await branches.create("side");
    await side.add(rows(ROWS + 600, 5));
    await agree(side, name, "on its branch", "side");
    await table.add(rows(ROWS + 700, 2), { mode: "overwrite" });
    await agree(table, name, "overwrite");
    // Older versions stay readable.
    for (const v of (await table.listVersions()).map((x) => x.version).slice(0, 4)) {
        await table.checkout(v);
        await agree(table, name, "time travel");
    }
    // And the other way: we append, it reads.
    await table.checkoutLatest();
    const path = join(dir, `${name}.lance`);
    const p = spawnSync(inarch, ["table", "append", path, "--data", "-"], {
        input: '{"id":900001,"text":"ours","vector":null}\n{"id":900002,"numbers":[1,2,3],"day":"2024-02-29"}\n', encoding: "utf8" });
    check(p.status === 0, `append to ${name}: ${p.stderr}`);
    const again = await connection.openTable(name);
    await agree(again, name, "our append");
    await again.add(rows(ROWS + 800, 3));
    await agree(again, name, "it goes on");
}

async function published() {
    const out = [];
    for (const commit of JSON.parse(must("commit", "list", "--store", graph, "--json")).commits) {
        const s = JSON.parse(must("snapshot", "--snapshot", commit.graph_commit_id, "--store", graph, "--json"));
        for (const d of s.datasets) if (d.type_name === "Tree") out.push(d.published_dataset_version);
    }
    return [...new Set(out)];
}

async function readable(connection, versions, what) {
    for (const version of versions) {
        const t = await connection.openTable("Tree", undefined, { version });
        await t.query().toArrow().catch((e) => {
            throw new Error(`${what}: version ${version} of Tree is lost: ${e}`);
        });
        checks++;
    }
}

async function graphTable() {
    const connection = await lancedb.connect(graph);
    const versions = await published();
    check(versions.length > 3, "the graph has too few versions of Tree");
    const before = must("export", "--store", graph);
    const table = await connection.openTable("Tree");
    // A prune of everything old must stop at the hold tag and name it.
    let stopped = null;
    try {
        await table.optimize({ cleanupOlderThan: new Date(Date.now() + 1000) });
    } catch (e) {
        stopped = String(e);
    }
    check(stopped !== null && /inarch-hold/.test(stopped), `the prune did not stop at the hold tag: ${stopped}`);
    await readable(connection, versions, "a stopped prune");
    const again = await connection.openTable("Tree");
    const stats = await again.optimize(); // without arguments: nothing of the graph is older than seven days
    check(stats.prune.oldVersionsRemoved === 0, `optimize() pruned ${stats.prune.oldVersionsRemoved} versions`);
    await readable(connection, versions, "optimize()");
    // Its compaction is drift: named, reads go on, writes to that table are refused, others are not.
    check((await again.version()) > Math.max(...versions), "nothing was compacted: the table needs several fragments");
    const status = JSON.parse(must("status", "--store", graph, "--json"));
    const text = JSON.stringify(status);
    check(/Tree/.test(text) && /drift|foreign/.test(text), `status does not tell of the compaction: ${text}`);
    check(/Rewrite|compact/i.test(must("status", "--store", graph)), "status does not name the foreign operation");
    check(must("export", "--store", graph) === before, "the export changed");
    const write = run("mutate", "--store", graph, "-e", 'query q() { update Tree set { height: 1.0 } where name = "Vranja" }');
    check(write.status === 1 && /Tree/.test(write.stderr), `a write to the drifted table: exit ${write.status} ${write.stderr}`);
    must("mutate", "--store", graph, "-e", 'query q() { insert Orchard { name: "West" } }');
    check(run("query", "--store", graph, "-e", "query q() { match { $t: Tree } return { count($t) as n } }").status === 0,
        "reads stopped");
    must("verify", "--store", graph);
    return `optimize() on a graph's table: the prune stops at ${/inarch-hold[\w.-]*/.exec(stopped)[0]}, the compaction is drift`;
}

const connection = await lancedb.connect(dir);
await ownTable(connection, "plain", false);
await ownTable(connection, "grown", true);
const told = await graphTable();
console.log(told);
console.log(`${checks} comparisons: inarch reads what @lancedb/lancedb writes`);

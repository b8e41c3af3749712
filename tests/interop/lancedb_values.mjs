// lancedb_values.mjs - values of @lancedb/lancedb beside values that inarch printed as JSON.
import { DataType, Precision } from "apache-arrow";

// A value of the engine in the form of JSON: dates as days, instants as milliseconds.
export function plain(value, type) {
    if (value === null || value === undefined) return null;
    if (DataType.isDate(type)) {
        const ms = Number(value);
        return type.unit === 0 ? Math.round(ms / 86400000) : ms;
    }
    if (DataType.isList(type) || DataType.isFixedSizeList(type))
        return Array.from(value, (item) => plain(item, type.children[0].type));
    return typeof value === "bigint" ? Number(value) : value;
}

// A value read from JSON as the column can hold it: the digits of a float32 stand for one; dates may be text.
export function held(value, type) {
    if (typeof value === "string" && DataType.isDate(type)) {
        const ms = Date.parse(value);
        return type.unit === 0 ? ms / 86400000 : ms;
    }
    if (Array.isArray(value)) return value.map((item) => held(item, type.children[0].type));
    return typeof value === "number" && DataType.isFloat(type) && type.precision === Precision.SINGLE
        ? Math.fround(value)
        : value;
}

export function same(a, b) {
    if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((x, i) => same(x, b[i]));
    return a === b || (typeof a === "number" && Number.isNaN(a) && b === "NaN");
}

// Compares an Arrow table of the engine with rows from JSON, a Map from the value of `key` that is emptied on the way.
export function compare(table, want, where, key = "id") {
    if (table.numRows !== want.size) throw new Error(`${where}: ${table.numRows} rows, inarch has ${want.size}`);
    for (const batch of table.batches) {
        const columns = batch.schema.fields.map((field, k) => [field.name, field.type, batch.getChildAt(k)]);
        const [, keyType, keys] = columns.find(([name]) => name === key);
        for (let i = 0; i < batch.numRows; i++) {
            const id = plain(keys.get(i), keyType);
            const row = want.get(id);
            if (!row) throw new Error(`${where}: ${id} is not in what inarch printed, or was read twice`);
            if (Object.keys(row).length !== columns.length) throw new Error(`${where}: other columns than inarch has`);
            for (const [name, type, values] of columns) {
                const got = plain(values.get(i), type);
                const expected = held(row[name], type);
                if (!same(got, expected))
                    throw new Error(`${where}: ${id}.${name} is ${JSON.stringify(got)}, inarch says ${JSON.stringify(expected)}`);
            }
            want.delete(id);
        }
    }
    if (want.size) throw new Error(`${where}: ${want.size} rows were not read`);
}

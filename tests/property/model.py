"""A small in-memory oracle of an Inarch graph: its own equality, constraints, merge base and truth table.

It shares nothing with src/. A state is {type: {id: row}}; rows are dicts of plain values, edges carry "from" and
"to". A commit is {parents, state}; a branch is a name and a head.
"""
import math

NODE, EDGE = "node", "edge"


class Refused(Exception):
    """The graph must refuse this; `codes` are the status names it may use."""

    def __init__(self, codes, why):
        super().__init__(why)
        self.codes = codes


class Schema:
    """types: name -> dict(kind, props {name: (type, nullable)}, key, unique [tuples], range {prop: (lo, hi)},
    enum {prop: set}, ends (from, to), card (min, max))"""

    def __init__(self, types):
        self.types = types

    def nodes(self):
        return [t for t in self.types if self.types[t]["kind"] == NODE]

    def edges(self):
        return [t for t in self.types if self.types[t]["kind"] == EDGE]


def empty_state(schema):
    return {t: {} for t in schema.types}


def copy_state(s):
    return {t: dict(rows) for t, rows in s.items()}


def same_value(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return a == b and math.copysign(1, a) == math.copysign(1, b) or (a != a and b != b)
    return type(a) is type(b) and a == b


def same_row(a, b):
    if a is None or b is None:
        return a is b
    return a.keys() == b.keys() and all(same_value(a[k], b[k]) for k in a)


def tuple_of(row, group):
    cols = [row["from"] if c == "src" else row["to"] if c == "dst" else row[c] for c in group]
    return None if any(c is None for c in cols) else tuple(cols)


# ---- constraints of one write ----------------------------------------------------------------------------


def check_values(schema, t, rows):
    d = schema.types[t]
    for row in rows:
        for p, allowed in d.get("enum", {}).items():
            if row[p] is not None and row[p] not in allowed:
                raise Refused({"constraint"}, f"enum {t}.{p}")
        for p, (lo, hi) in d.get("range", {}).items():
            v = row[p]
            if v is not None and ((lo is not None and v < lo) or (hi is not None and v > hi)):
                raise Refused({"constraint"}, f"range {t}.{p}")


def check_batch(schema, t, rows):
    """Two records of one input batch with one key or unique tuple."""
    for group in groups(schema, t):
        seen = set()
        for row in rows:
            k = tuple_of(row, group)
            if k is not None and k in seen:
                raise Refused({"constraint"}, f"twice in the batch {t}.{group}")
            seen.add(k)


def groups(schema, t):
    d = schema.types[t]
    return ([tuple(d["key"])] if d.get("key") else []) + [tuple(u) for u in d.get("unique", [])]


def check_unique(schema, t, rows):
    for group in groups(schema, t):
        seen = {}
        for i, row in rows.items():
            k = tuple_of(row, group)
            if k is None:
                continue
            if k in seen:
                raise Refused({"constraint"}, f"unique {t}.{group} {k}")
            seen[k] = i


def check_ends(schema, state):
    for t in schema.edges():
        a, b = schema.types[t]["ends"]
        for i, row in state[t].items():
            if row["from"] not in state[a] or row["to"] not in state[b]:
                raise Refused({"constraint"}, f"orphan {t} {i}")


def count_by_source(rows):
    n = {}
    for row in rows.values():
        n[row["from"]] = n.get(row["from"], 0) + 1
    return n


def check_card(schema, before, after, touched):
    """touched: edge type -> ids written or removed. Sources are those of these ids, before and after."""
    for t in schema.edges():
        lo, hi = schema.types[t].get("card", (0, None))
        if lo == 0 and hi is None:
            continue
        sources = {image[t][i]["from"] for i in touched.get(t, ()) for image in (before, after) if i in image[t]}
        counts = count_by_source(after[t])
        for s in sources:
            if s not in after[schema.types[t]["ends"][0]]:
                continue
            n = counts.get(s, 0)
            if (hi is not None and n > hi) or n < lo:
                raise Refused({"constraint"}, f"card {t} {s} {n}")


def check_write(schema, before, after, touched):
    for t in schema.types:
        check_unique(schema, t, after[t])
    check_ends(schema, after)
    check_card(schema, before, after, touched)


# ---- writes ----------------------------------------------------------------------------------------------


def load(schema, state, mode, lines):
    """lines: [(type, id, row)] in order. Returns the new state."""
    after, touched = copy_state(state), {}
    by_type = {}
    for t, i, row in lines:
        by_type.setdefault(t, []).append((i, row))
    for t, rows in by_type.items():
        check_values(schema, t, [r for _, r in rows])
        check_batch(schema, t, [r for _, r in rows])
        ids = [i for i, _ in rows]
        if mode != "merge" and len(set(ids)) != len(ids):
            raise Refused({"constraint"}, f"id twice {t}")
        if mode == "append" and any(i in state[t] for i in ids):
            raise Refused({"constraint"}, f"id is stored {t}")
        touched[t] = set(ids)
        if mode == "overwrite":
            touched[t] |= set(state[t])
            after[t] = {}
        for i, row in rows:
            after[t][i] = row
    check_write(schema, state, after, touched)
    return after


def delete_nodes(schema, state, t, ids):
    """Cascades to incident edges; returns (state, touched, edges removed)."""
    after, touched, gone = copy_state(state), {t: set(ids)}, 0
    for i in ids:
        del after[t][i]
    for e in schema.edges():
        a, b = schema.types[e]["ends"]
        hit = {i for i, r in state[e].items() if (a == t and r["from"] in ids) or (b == t and r["to"] in ids)}
        for i in hit:
            del after[e][i]
        touched[e] = hit
        gone += len(hit)
    check_write(schema, state, after, touched)
    return after, gone


def upsert(schema, state, t, rows):
    """rows: {id: row} as one change."""
    after = copy_state(state)
    check_values(schema, t, rows.values())
    after[t].update(rows)
    check_write(schema, state, after, {t: set(rows)})
    return after


def delete_edges(schema, state, t, ids):
    after = copy_state(state)
    for i in ids:
        del after[t][i]
    check_write(schema, state, after, {t: set(ids)})
    return after


# ---- history ---------------------------------------------------------------------------------------------


class Repo:
    def __init__(self, schema):
        self.schema = schema
        self.commits = [{"parents": [], "state": empty_state(schema)}]
        self.heads = {"main": 0}

    def state(self, branch):
        return self.commits[self.heads[branch]]["state"]

    def commit(self, branch, state, *more_parents):
        self.commits.append({"parents": [self.heads[branch], *more_parents], "state": state})
        self.heads[branch] = len(self.commits) - 1
        return self.heads[branch]

    def ancestors(self, c):
        seen, todo = set(), [c]
        while todo:
            x = todo.pop()
            if x not in seen:
                seen.add(x)
                todo.extend(self.commits[x]["parents"])
        return seen

    def bases(self, a, b):
        """Common ancestors that no other common ancestor descends from."""
        common = self.ancestors(a) & self.ancestors(b)
        return [c for c in common if not any(c != d and c in self.ancestors(d) for d in common)]

    def merge(self, source, into):
        """(outcome, conflicts). Conflicts are (kind, type, id). On success the branch has moved.
        `source` is a branch or the number of a commit."""
        s, t = self.heads.get(source, source), self.heads[into]
        bases = self.bases(s, t)
        if bases == [s]:
            return "already_up_to_date", []
        if bases == [t]:
            self.commit(into, self.commits[s]["state"], s)
            return "fast_forward", []
        merged, picks, conflicts = self.three_way(bases, s, t)
        if not conflicts:
            conflicts = self.meet(merged, picks, self.commits[s]["state"], self.commits[t]["state"])
        if conflicts:
            return "conflicts", sorted(conflicts, key=repr)
        self.commit(into, merged, s)
        return "merged", []

    def three_way(self, bases, s, t):
        src, tgt = self.commits[s]["state"], self.commits[t]["state"]
        old = [self.commits[b]["state"] for b in bases]
        merged, picks, conflicts = copy_state(tgt), {}, []
        for ty in self.schema.types:
            ids = set(src[ty]) | set(tgt[ty]) | {i for o in old for i in o[ty]}
            for i in sorted(ids):
                x, y = src[ty].get(i), tgt[ty].get(i)
                olds = [o[ty].get(i) for o in old]
                if same_row(x, y):
                    continue
                agreed = all(same_row(o, olds[0]) for o in olds)
                b = olds[0]
                if agreed and same_row(x, b):
                    continue
                if agreed and same_row(y, b):
                    picks.setdefault(ty, set()).add(i)
                    if x is None:
                        del merged[ty][i]
                    else:
                        merged[ty][i] = x
                    continue
                kind = ("delete_vs_update" if x is None or y is None else
                        "divergent_insert" if agreed and b is None else "divergent_update")
                conflicts.append((kind, ty, i))
        return merged, picks, conflicts

    def meet(self, merged, picks, src, tgt):
        """Constraints that the merged image breaks, in the terms of the report."""
        out = []
        for t in self.schema.types:
            for group in groups(self.schema, t):
                holders = {}
                for i, row in merged[t].items():
                    k = tuple_of(row, group)
                    if k is not None:
                        holders.setdefault(k, []).append(i)
                for ids in holders.values():
                    if len(ids) > 1:
                        out += [("unique_violation", t, i) for i in ids if i in picks.get(t, ())]
        for t in self.schema.edges():
            a, b = self.schema.types[t]["ends"]
            for i, row in merged[t].items():
                out += [("orphan_edge", t, i)] * ((row["from"] not in merged[a]) + (row["to"] not in merged[b]))
            lo, hi = self.schema.types[t].get("card", (0, None))
            n, ns, nt = (count_by_source(x[t]) for x in (merged, src, tgt))
            for node in merged[a]:
                above = hi is not None and n.get(node, 0) > hi
                below = n.get(node, 0) < lo and ns.get(node, 0) >= lo and nt.get(node, 0) >= lo
                out += [("cardinality_violation", t, "")] * (above or below)
        return out

#!/usr/bin/env python3
"""Random histories run on Inarch and on the oracle: states, conflicts and constraint errors must agree.

    histories.py [--count 300] [--seed 1] [--jobs 2] [--ops 30] [--dir DIR]
"""
import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from multiprocessing import Pool

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "python"))
sys.path.insert(0, os.path.dirname(__file__))
import inarch  # noqa: E402
import model  # noqa: E402
from model import EDGE, NODE, Refused, Repo, Schema  # noqa: E402

PG = """
node Person {
  name: String @key
  age: I32?
  email: String? @unique
  kind: enum(cat, dog, fox)
  score: F64?
  tags: [String]?
  @range(age, 0..150)
}
node Item {
  title: String
  code: String?
  shelf: I64?
  @unique(code, shelf)
}
edge Knows: Person -> Person { since: Date? }
edge Owns: Person -> Item @card(0..2) { note: String? }
edge Lives: Person -> Item @card(1..1)
edge Likes: Person -> Person { weight: F32? @unique(src, dst) }
"""
PG = PG.replace("{ weight: F32? @unique(src, dst) }", "{\n  weight: F32?\n  @unique(src, dst)\n}")

SCHEMA = Schema({
    "Person": dict(kind=NODE, key=["name"], unique=[["email"]], range={"age": (0, 150)},
                   enum={"kind": {"cat", "dog", "fox"}}),
    "Item": dict(kind=NODE, unique=[["code", "shelf"]]),
    "Knows": dict(kind=EDGE, ends=("Person", "Person")),
    "Owns": dict(kind=EDGE, ends=("Person", "Item"), card=(0, 2)),
    "Lives": dict(kind=EDGE, ends=("Person", "Item"), card=(1, 1)),
    "Likes": dict(kind=EDGE, ends=("Person", "Person"), unique=[["src", "dst"]]),
})


class History:
    def __init__(self, seed, ops, where):
        self.r = random.Random(seed)
        self.ops, self.seed = ops, seed
        self.path = os.path.join(where, f"h{seed}.graph")
        inarch.create(self.path, PG, durability="relaxed")
        self.g = inarch.open(self.path, durability="relaxed")
        self.repo = Repo(SCHEMA)
        self.ids = {0: self.g.head()}  # oracle commit -> graph commit
        self.adopt = self.r.choice(["link", "link", "reference", "copy"])
        self.stats = dict(ops=0, refused=0, merges=0, both=0, conflicts=0, rows_both=0, criss=0, by_id=0)
        self.dead, self.log = [], []

    # ---- random rows ---------------------------------------------------------------------------
    def maybe(self, v, p=0.3):
        return None if self.r.random() < p else v

    def person(self):
        r, i = self.r, f"p{self.r.randrange(9)}"
        age = r.randrange(0, 150) if r.random() < 0.97 else 151
        kind = r.choice(["cat", "dog", "fox"]) if r.random() < 0.98 else "cow"
        return "Person", i, {"name": i, "age": self.maybe(age), "email": self.maybe(f"e{r.randrange(14)}", 0.5),
                             "kind": kind, "score": self.maybe(r.choice([0.5, -1.25, 3.0, 1e300])),
                             "tags": self.maybe([f"t{r.randrange(3)}" for _ in range(r.randrange(3))])}

    def item(self):
        r = self.r
        return "Item", f"i{r.randrange(7)}", {"title": f"title {r.randrange(4)}", "code": self.maybe(f"c{r.randrange(4)}"),
                                             "shelf": self.maybe(r.choice([1, 2, 2**53 + 1]))}

    def node_id(self, state, t, prefix, n):
        known = sorted(state[t])
        return self.r.choice(known) if known and self.r.random() < 0.95 else f"{prefix}{self.r.randrange(n)}"

    def edge(self, state, t):
        r = self.r
        a = self.node_id(state, "Person", "p", 9)
        b = self.node_id(state, *(("Item", "i", 7) if SCHEMA.types[t]["ends"][1] == "Item" else ("Person", "p", 9)))
        props = {"Knows": {"since": self.maybe(r.randrange(10000, 20000))},
                 "Owns": {"note": self.maybe(f"n{r.randrange(5)}")}, "Lives": {},
                 "Likes": {"weight": self.maybe(r.choice([0.5, 2.0]))}}[t]
        return t, f"{t[0].lower()}{r.randrange(10)}", {"from": a, "to": b, **props}

    def lines(self, state):
        r, out, image = self.r, [], model.copy_state(state)
        for _ in range(r.randrange(1, 6)):
            kind = r.random()
            line = (self.person() if kind < 0.35 else self.item() if kind < 0.5 else
                    self.edge(image, r.choice(["Knows", "Knows", "Owns", "Lives", "Likes"])))
            image[line[0]][line[1]] = line[2]
            out.append(line)
        r.shuffle(out)
        return out

    @staticmethod
    def text(lines):
        out = []
        for t, i, row in lines:
            if SCHEMA.types[t]["kind"] == NODE:
                data = dict(row) if t == "Person" else {"id": i, **row}
                out.append({"type": t, "data": data})
            else:
                data = {"id": i, **{k: v for k, v in row.items() if k not in ("from", "to")}}
                out.append({"edge": t, "from": row["from"], "to": row["to"], "data": data})
        return "".join(json.dumps(x) + "\n" for x in out).encode()

    # ---- comparing -----------------------------------------------------------------------------
    def actual(self, branch):
        state = model.empty_state(SCHEMA)
        for line in self.g.export(branch).splitlines():
            x = json.loads(line)
            row = dict(x["data"])
            i = row.pop("id")
            if "edge" in x:
                row.update({"from": x["from"], "to": x["to"]})
            state[x.get("type") or x["edge"]][i] = row
        return state

    def compare(self, branch):
        want, got = self.repo.state(branch), self.actual(branch)
        for t in SCHEMA.types:
            bad = [i for i in set(want[t]) | set(got[t]) if not model.same_row(want[t].get(i), got[t].get(i))]
            if bad:
                i = sorted(bad)[0]
                self.fail(f"branch {branch}: {t} {i}: want {want[t].get(i)}, got {got[t].get(i)} (+{len(bad) - 1} more)")

    def fail(self, why):
        tail = "\n  ".join(self.log[-40:])
        raise AssertionError(f"history seed {self.seed}: {why}\n  {tail}\n  graph kept at {self.path}")

    def note(self, text):
        self.log.append(text)
        self.stats["ops"] += 1

    def both(self, branch, what, oracle, graph):
        """Runs the write on both; they must agree on success and on the kind of refusal."""
        self.note(f"{branch}: {what}")
        try:
            state, error = oracle(), None
        except Refused as e:
            state, error = None, e
        try:
            done = graph()
        except inarch.Error as e:
            if error is None:
                self.fail(f"the graph refuses what the oracle accepts: {e.code}: {e}")
            if e.code not in error.codes:
                self.fail(f"refused with {e.code} ({e}), expected {error.codes} ({error})")
            self.stats["refused"] += 1
            self.compare(branch)
            return
        if error is not None:
            self.fail(f"the graph accepts what the oracle refuses: {error}")
        if done:
            self.learn_ids(branch, state)
            self.ids[self.repo.commit(branch, state)] = done
        self.compare(branch)

    def learn_ids(self, branch, state):
        """An edge inserted by a mutation gets its id from the graph."""
        for t in SCHEMA.edges():
            row = state[t].pop(None, None)
            if row is None:
                continue
            fresh = [i for i in self.actual(branch)[t] if i not in state[t]]
            if len(fresh) != 1:
                self.fail(f"one new {t} expected, got {fresh}")
            state[t][fresh[0]] = row

    # ---- operations ----------------------------------------------------------------------------
    def op_load(self, branch):
        state = self.repo.state(branch)
        mode = self.r.choice(["append", "merge", "merge", "merge", "overwrite"])
        lines = self.lines(state)
        self.both(branch, f"load {mode} {lines}", lambda: model.load(SCHEMA, state, mode, lines),
                  lambda: self.g.load(self.text(lines), mode, branch=branch)["commit"])

    def mutate(self, branch, text, params=None):
        return self.g.mutate(text, params=params, branch=branch)["commit"]

    def op_insert_edge(self, branch):
        state = self.repo.state(branch)
        t, _, row = self.edge(state, self.r.choice(["Knows", "Owns", "Likes"]))
        body = "".join(f" {k}: ${k}" for k in row if k not in ("from", "to") and row[k] is not None)
        kinds = {"since": "Date", "note": "String", "weight": "F32"}
        decl = "".join(f", ${k}: {kinds[k]}" for k in row if k in kinds and row[k] is not None)
        params = {"a": row["from"], "b": row["to"], **{k: v for k, v in row.items() if k in kinds and v is not None}}
        if "since" in params:
            params["since"] = f"{1970 + row['since'] // 366}-03-04"
            import datetime
            row["since"] = (datetime.date.fromisoformat(params["since"]) - datetime.date(1970, 1, 1)).days
        text = f"query q($a: String, $b: String{decl}) {{ insert {t} {{ from: $a to: $b{body} }} }}"
        self.both(branch, f"{text} {params}", lambda: model.upsert(SCHEMA, state, t, {None: row}),
                  lambda: self.mutate(branch, text, params))

    def op_update(self, branch):
        state, r = self.repo.state(branch), self.r
        age, limit = r.randrange(0, 160), r.randrange(0, 150)
        by_name = r.random() < 0.6
        who = f"p{r.randrange(9)}"
        hit = {i: {**row, "age": age} for i, row in state["Person"].items()
               if (i == who if by_name else row["age"] is not None and row["age"] > limit)}
        where = f'name = "{who}"' if by_name else f"age > {limit}"
        text = f"query q() {{ update Person set {{ age: {age} }} where {where} }}"
        self.both(branch, text, lambda: model.upsert(SCHEMA, state, "Person", hit), lambda: self.mutate(branch, text))

    def op_delete(self, branch):
        state, r = self.repo.state(branch), self.r
        kind = r.randrange(3)
        if kind == 0:
            who = f"p{r.randrange(9)}"
            hit, t, text = {who} & set(state["Person"]), "Person", f'delete Person where name = "{who}"'
        elif kind == 1:
            title = f"title {r.randrange(4)}"
            hit, t = {i for i, x in state["Item"].items() if x["title"] == title}, "Item"
            text = f'delete Item where title = "{title}"'
        else:
            t, who = r.choice(["Knows", "Owns", "Likes"]), f"p{r.randrange(9)}"
            hit, text = {i for i, x in state[t].items() if x["from"] == who}, f'delete {t} where from = "{who}"'
        run = ((lambda: model.delete_edges(SCHEMA, state, t, hit)) if kind == 2 else
               (lambda: model.delete_nodes(SCHEMA, state, t, hit)[0]))
        self.both(branch, text, run, lambda: self.mutate(branch, f"query q() {{ {text} }}"))

    def op_branch(self, branch):
        name = self.r.choice(self.dead) if self.dead and self.r.random() < 0.5 else f"b{len(self.log)}"
        if name in self.repo.heads or len(self.repo.heads) > 5:
            return
        at = self.repo.heads[branch] if self.r.random() < 0.8 else self.r.choice(sorted(self.ids))
        self.note(f"branch {name} at commit {at}")
        self.g.branch_create(name, self.ids[at])
        self.repo.heads[name] = at
        self.compare(name)

    def op_delete_branch(self, branch):
        if branch == "main" or len(self.repo.heads) < 3:
            return
        self.delete_branch(branch)

    def delete_branch(self, branch):
        self.note(f"delete branch {branch}")
        self.g.branch_delete(branch)
        del self.repo.heads[branch]
        self.dead.append(branch)

    def op_recreate(self, branch):
        """A name that ends and begins again: from its own last commit, from main, or from anywhere."""
        if branch == "main":
            return
        at = self.r.choice([self.repo.heads[branch], self.repo.heads["main"], self.r.choice(sorted(self.ids))])
        self.delete_branch(branch)
        self.note(f"branch {branch} again at commit {at}")
        self.g.branch_create(branch, self.ids[at])
        self.repo.heads[branch] = at
        self.compare(branch)
        self.op_load(branch)

    def op_merge(self, branch):
        others = [b for b in self.repo.heads if b != branch]
        if self.r.random() < 0.15:
            self.merge(self.r.choice(sorted(self.ids)), branch)
        elif others:
            self.merge(self.r.choice(others), branch)

    def op_criss(self, branch):
        """Two branches take each other's head of one moment, go on, and meet again."""
        others = [b for b in self.repo.heads if b != branch]
        if not others:
            return
        other = self.r.choice(others)
        mine, theirs = self.repo.heads[branch], self.repo.heads[other]
        if mine in self.repo.ancestors(theirs):
            self.small_change(branch)
        if theirs in self.repo.ancestors(mine):
            self.small_change(other)
        mine, theirs = self.repo.heads[branch], self.repo.heads[other]
        if self.merge(theirs, branch) == "merged" and self.merge(mine, other) == "merged":
            for b in self.r.choice([(branch, other), (branch,), (other,)]):
                self.r.choice([self.small_change, self.op_load])(b)
            self.merge(*self.r.choice([(branch, other), (other, branch)]))

    def small_change(self, branch):
        state = self.repo.state(branch)
        lines = [self.edge(state, "Knows")] if self.r.random() < 0.4 and len(state["Person"]) > 1 else [self.item()]
        self.both(branch, f"load merge {lines}", lambda: model.load(SCHEMA, state, "merge", lines),
                  lambda: self.g.load(self.text(lines), "merge", branch=branch)["commit"])

    def merge(self, source, branch):
        """source: a branch, or the number of a commit, which the graph knows by its id."""
        name = self.ids[source] if isinstance(source, int) else source
        at = source if isinstance(source, int) else self.repo.heads[source]
        self.note(f"merge {source} into {branch}")
        criss = len(self.repo.bases(at, self.repo.heads[branch])) > 1
        want, conflicts = self.repo.merge(source, branch)
        full = self.g.merge(name, branch, dry_run=True, full_probe=True, adopt=self.adopt)
        got = self.g.merge(name, branch, adopt=self.adopt)
        self.check_merge(want, conflicts, got, "")
        self.check_merge(want, conflicts, full, " (full probe)")
        if want in ("merged", "fast_forward"):
            self.ids[self.repo.heads[branch]] = got["commit"]
        moved = want in ("merged", "conflicts")
        self.stats["merges"] += moved
        self.stats["both"] += got["rows_both_sides"] > 0
        self.stats["rows_both"] += got["rows_both_sides"]
        self.stats["conflicts"] += want == "conflicts"
        self.stats["criss"] += moved and criss
        self.stats["by_id"] += moved and name != source
        self.compare(branch)
        if name == source:
            if self.repo.heads[source] != at:
                self.fail("the source moved")
            self.compare(source)
        return want

    def check_merge(self, want, conflicts, got, how):
        if got["outcome"] != want:
            self.fail(f"merge{how}: want {want} {conflicts}, got {got['outcome']} {got['conflicts']}")
        mine = sorted(((c["kind"], c["type"], c["id"]) for c in got["conflicts"]), key=repr)
        if mine != conflicts:
            self.fail(f"merge{how}: conflicts differ: want {conflicts}, got {mine}")

    def run(self):
        ops = [(self.op_load, 32), (self.op_insert_edge, 8), (self.op_update, 14), (self.op_delete, 8), (self.op_branch, 12),
               (self.op_delete_branch, 3), (self.op_recreate, 3), (self.op_merge, 20), (self.op_criss, 3)]
        names, weights = [o for o, _ in ops], [w for _, w in ops]
        for _ in range(4):
            self.op_load("main")
        for _ in range(self.ops):
            branch = self.r.choice(sorted(self.repo.heads))
            self.r.choices(names, weights)[0](branch)
        for c in self.r.sample(sorted(self.ids), min(3, len(self.ids))):  # time travel
            self.repo.heads["?"] = c
            want, got = self.repo.state("?"), self.actual(self.ids[c])
            del self.repo.heads["?"]
            if any(not model.same_row(want[t].get(i), got[t].get(i)) for t in want for i in set(want[t]) | set(got[t])):
                self.fail(f"commit {c} reads differently later")
        problems = self.g.verify()
        if problems:
            self.fail(f"verify: {problems[:3]}")
        self.g.close()
        return self.stats


def one(args):
    seed, ops, where = args
    h = History(seed, ops, where)
    try:
        stats = h.run()
    except AssertionError as e:
        return seed, None, str(e)
    except Exception as e:  # noqa: BLE001  a failure of any kind names its history
        tail = "\n  ".join(h.log[-20:])
        return seed, None, f"history seed {seed}: {type(e).__name__}: {e}\n  {tail}\n  graph kept at {h.path}"
    shutil.rmtree(h.path)
    return seed, stats, None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--count", type=int, default=300)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--ops", type=int, default=30)
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--dir")
    a = ap.parse_args()
    memory = "/dev/shm"  # many small files: a disk would be most of the time
    where = a.dir or tempfile.mkdtemp(prefix="inarch-histories-", dir=memory if os.access(memory, os.W_OK) else None)
    os.makedirs(where, exist_ok=True)
    total, failed, started = {}, 0, time.time()
    work = [(a.seed + k, a.ops, where) for k in range(a.count)]
    with Pool(a.jobs) as pool:
        for _, stats, error in pool.imap_unordered(one, work):
            if error:
                failed += 1
                print(error, flush=True)
                if failed >= 3:
                    pool.terminate()
                    break
            else:
                total = {k: total.get(k, 0) + v for k, v in stats.items()}
    print(f"{a.count} histories, {total.get('ops', 0)} operations ({total.get('refused', 0)} refused), "
          f"{total.get('merges', 0)} merges of two moved sides, {total.get('both', 0)} with rows touched on both sides "
          f"({total.get('rows_both', 0)} rows), {total.get('conflicts', 0)} conflicts, {total.get('criss', 0)} criss-cross, "
          f"{total.get('by_id', 0)} of commits; "
          f"{time.time() - started:.0f} s")
    for what, key, least in (("touched rows on both sides", "both", 0.2), ("had several bases", "criss", 0.05)):
        share = total.get(key, 0) / max(1, total.get("merges", 0))
        if not failed and share < least and a.count >= 50:
            print(f"only {share:.0%} of the merges {what}: the histories are too tame")
            failed = 1
    if not a.dir and not failed:
        shutil.rmtree(where)
    print(f"{a.count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

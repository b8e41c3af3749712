"""test_debian.py - convert.py and count.sh on small lists made here, with every awkward case they meet."""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(ROOT, "examples", "debian")
sys.path.insert(0, HERE)
import convert  # noqa: E402

SHA = "0" * 64


def stanza(name, version, **fields):
    base = {"Package": name, "Version": version, "Architecture": "all",
            "Maintainer": "A Person <a@example.org>", "Section": "misc", "Priority": "optional",
            "Filename": f"pool/{name}_{version}.deb", "Size": "10", "SHA256": SHA}
    base.update({k.replace("_", "-"): v for k, v in fields.items()})
    return "".join(f"{k}: {v}\n" for k, v in base.items() if v is not None)


BASE = "\n".join([
    stanza("one", "1.0-1", Depends="two (>= 1:2~) | three, two (<< 3), four:any, gone",
           Tag="a::b, c::d,\n e::f", Description='says "hi" \\ to ü\n more', Installed_Size="7"),
    stanza("two", "1:2.0", Source="zwei (2.0-1)", Provides="virt (= 1), other-virt",
           Maintainer="A person <A@Example.org>"),
    stanza("twice", "1.0~rc1", Depends="only-in-loser", Maintainer="Loser <loser@example.org>"),
    stanza("twice", "1.0", Depends="virt", Essential="yes",
           Maintainer="B <b@example.org>, C <c@example.org>"),
    stanza("twice", "0.9", Depends="only-in-loser-too"),
    stanza("self", "1", Depends="self, one", Section="games"),
])
LATER = "\n".join([
    stanza("one", "1.0-2", Depends="four:any, two (>= 1:2~), gone", Section="games"),
    stanza("two", "1:2.0", Source="zwei (2.0-1)", Provides="virt (= 1), other-virt"),
    stanza("gone", "1", Depends="fresh", Source="vanished"),
])


class Debian(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)

    def path(self, name, text=None):
        path = os.path.join(self.work.name, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        return path

    def convert(self, *arguments):
        out, stale = self.path("out.jsonl"), self.path("stale.gq")
        subprocess.run([sys.executable, os.path.join(HERE, "convert.py"), *arguments, "--out", out, "--stale", stale],
                       check=True, stderr=subprocess.DEVNULL)
        with open(out, encoding="utf-8") as f:
            lines = [json.loads(line) for line in f]
        with open(stale, encoding="utf-8") as f:
            return lines, re.findall(r'delete (\w+) where stanza = "([^"]+)"', f.read())

    def count(self, *lists):
        text = subprocess.run([os.path.join(HERE, "count.sh"), *lists], check=True, stdout=subprocess.PIPE, text=True)
        return {what: int(n) for what, n in (line.split() for line in text.stdout.splitlines())}

    def graph(self, lines, into=None):
        graph = into or collections.defaultdict(dict)
        for line in lines:
            data = line.get("data", {})
            if "type" in line:
                graph[line["type"]][data.get("email") or data["name"]] = data
            else:
                self.assertNotIn("name", data)
                graph[line["edge"]][data["id"]] = (line["from"], line["to"], data)
        return graph

    def sizes(self, graph):
        sizes = collections.Counter({t: len(rows) for t, rows in graph.items() if rows})
        sizes.update(p["kind"] for p in graph["Package"].values())
        return sizes

    def check_counts(self, graph, *lists):
        self.assertEqual(+self.sizes(graph), +collections.Counter(self.count(*lists)))

    def test_every_mention_is_one_edge_with_its_group_and_alternative(self):
        graph = self.graph(self.convert(self.path("base", BASE))[0])
        edges = {k: (v[1], v[2].get("constraint"), v[2].get("qualifier"), v[2]["group"], v[2]["alternative"])
                 for k, v in graph["DependsOn"].items() if v[0] == "one"}
        self.assertEqual(edges, {
            "one>two": ("two", ">= 1:2~", None, 0, 0),
            "one>three": ("three", None, None, 0, 1),
            "one>two#2": ("two", "<< 3", None, 1, 0),
            "one>four": ("four", None, "any", 2, 0),
            "one>gone": ("gone", None, None, 3, 0)})
        self.assertEqual({v[2]["stanza"] for v in graph["DependsOn"].values() if v[0] == "one"}, {"one=1.0-1"})
        self.assertIn("self>self", graph["DependsOn"])

    def test_a_name_listed_twice_keeps_its_newest_stanza(self):
        graph = self.graph(self.convert(self.path("base", BASE))[0])
        self.assertEqual(graph["Package"]["twice"]["version"], "1.0")
        self.assertTrue(graph["Package"]["twice"]["essential"])
        self.assertNotIn("only-in-loser", graph["Package"])
        self.assertNotIn("loser@example.org", graph["Maintainer"])

    def test_kinds_text_and_people(self):
        graph = self.graph(self.convert(self.path("base", BASE))[0])
        kinds = {n: p["kind"] for n, p in graph["Package"].items()}
        self.assertEqual(kinds, {"one": "real", "two": "real", "twice": "real", "self": "real", "virt": "virtual",
                                 "other-virt": "virtual", "three": "missing", "four": "missing", "gone": "missing"})
        one = graph["Package"]["one"]
        self.assertEqual((one["summary"], one["tags"], one["installed_size"]),
                         ('says "hi" \\ to ü', ["a::b", "c::d", "e::f"], 7))
        self.assertEqual(graph["Maintainer"]["a@example.org"]["name"], "A Person")
        self.assertEqual(graph["MaintainedBy"]["twice"][1], "b@example.org")
        self.assertEqual(graph["BuiltFrom"]["two"][1:], ("zwei", {"id": "two", "version": "2.0-1"}))

    def test_counts_agree_for_one_list(self):
        base = self.path("base", BASE)
        self.check_counts(self.graph(self.convert(base)[0]), base)

    def test_a_later_list_updates_what_it_says_and_nothing_else(self):
        base, later = self.path("base", BASE), self.path("later", LATER)
        lines, stale = self.convert(later, "--base", base)
        nodes = {(x["type"], x["data"].get("email") or x["data"]["name"]): x["data"] for x in lines if "type" in x}
        self.assertEqual(set(nodes), {("Package", "one"), ("Package", "two"), ("Package", "gone"), ("Package", "fresh"),
                                      ("Source", "vanished")})
        self.assertEqual(nodes["Package", "gone"]["kind"], "real")
        self.assertEqual(sorted(set(stale)), [("DependsOn", "one=1.0-1")])

        graph = self.graph(self.convert(base)[0])
        self.graph(lines, graph)
        self.assertEqual(graph["InSection"]["one"][1], "games")
        for relation, said in stale:
            graph[relation] = {k: v for k, v in graph[relation].items() if v[2]["stanza"] != said}
        self.assertEqual({k for k, v in graph["DependsOn"].items() if v[0] == "one"}, {"one>four", "one>two", "one>gone"})
        self.check_counts(graph, base, later)

    def test_a_name_no_longer_provided_changes_its_kind(self):
        base = self.path("base", BASE)
        later = self.path("later", stanza("two", "1:2.1", Provides="virt (= 2)", Source="zwei (2.1)"))
        lines, stale = self.convert(later, "--base", base)
        kinds = {x["data"]["name"]: x["data"]["kind"] for x in lines if x.get("type") == "Package"}
        self.assertEqual(kinds, {"two": "real", "other-virt": "missing"})
        self.assertEqual(stale, [("Provides", "two=1:2.0")])

    def test_garbage_in_a_relation_is_refused(self):
        bad = self.path("bad", stanza("x", "1", Depends="y (>= 1) z"))
        done = subprocess.run([sys.executable, os.path.join(HERE, "convert.py"), bad, "--out", self.path("o")],
                              stderr=subprocess.PIPE, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("x: cannot read Depends", done.stderr)

    def test_versions_compare_as_dpkg_compares_them(self):
        versions = ["1.0", "1.0-0", "1.0-1", "1.0~rc1", "1.0~~", "1.0~", "1.0+b1", "1:0.1", "0:1.0", "1.0a", "1.0.1",
                    "1.00", "1.0-1+deb12u1", "1.0-1~bpo", "2", "10", "1.0-a", "1.0--1", "1.0z", "1.0+"]
        for a in versions:
            for b in versions:
                sign = {-1: "lt", 0: "eq", 1: "gt"}[convert.compare_versions(a, b)]
                self.assertEqual(subprocess.run(["dpkg", "--compare-versions", a, sign, b]).returncode, 0, (a, sign, b))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""convert.py - turns one of apt's package lists into the JSON lines that `inarch load` reads.

Usage: convert.py LIST [--base LIST ...] --out FILE.jsonl [--stale FILE.gq]

Without --base: every node and every edge of the suite.
With --base (what the graph already holds, oldest first): the nodes and edges of LIST to be loaded
with `--mode merge`, with nodes that the graph has already left out unless something about them
changed; and under --stale a query that deletes the edges which the newer stanzas no longer have.

Lists are read through apt's own helper, so any compression it knows will do. Standard library only.
"""
import argparse
import re
import subprocess
import sys
from collections import Counter, defaultdict
from functools import cmp_to_key
from json.encoder import encode_basestring as quote

APT_HELPER = "/usr/lib/apt/apt-helper"
RELATIONS = {
    "Depends": "DependsOn",
    "Pre-Depends": "PreDependsOn",
    "Recommends": "Recommends",
    "Suggests": "Suggests",
    "Breaks": "Breaks",
    "Conflicts": "Conflicts",
    "Replaces": "Replaces",
    "Provides": "Provides",
}
# name, :qualifier, (operator version), then what separates it from the next mention
MENTION = re.compile(
    r"\s*([a-z0-9][a-z0-9+.-]*)(?::([a-z0-9-]+))?\s*(?:\(\s*(<<|<=|=|>=|>>|<|>)\s*([^\s()]+)\s*\))?\s*([,|]|$)"
)
MAINTAINER = re.compile(r"\s*(.*?)\s*<\s*([^<>\s]+)\s*>")


# ---- Debian version numbers (deb-version(7)) -------------------------------------------------

def _weight(c):
    """'~' sorts before the end, letters before everything else."""
    if c == "~":
        return -1
    return ord(c) if c.isalpha() else ord(c) + 256


def _compare_part(a, b):
    i = j = 0
    while i < len(a) or j < len(b):
        while (i < len(a) and not a[i].isdigit()) or (j < len(b) and not b[j].isdigit()):
            x = _weight(a[i]) if i < len(a) and not a[i].isdigit() else 0
            y = _weight(b[j]) if j < len(b) and not b[j].isdigit() else 0
            if x != y:
                return -1 if x < y else 1
            i += x != 0
            j += y != 0
        p, q = i, j
        while i < len(a) and a[i].isdigit():
            i += 1
        while j < len(b) and b[j].isdigit():
            j += 1
        x, y = int(a[p:i] or 0), int(b[q:j] or 0)
        if x != y:
            return -1 if x < y else 1
    return 0


def _split_version(text):
    epoch, colon, rest = text.partition(":")
    if not colon:
        epoch, rest = "0", text
    upstream, dash, revision = rest.rpartition("-")
    if not dash:
        upstream, revision = rest, ""
    return int(epoch), upstream, revision


def compare_versions(a, b):
    if a == b:
        return 0
    (e, u, r), (f, v, s) = _split_version(a), _split_version(b)
    if e != f:
        return -1 if e < f else 1
    return _compare_part(u, v) or _compare_part(r, s)


version_key = cmp_to_key(compare_versions)


# ---- reading -----------------------------------------------------------------------------------

def read_list(path):
    """{name: stanza}; of a name that occurs twice the newest version counts."""
    text = subprocess.run([APT_HELPER, "cat-file", path], check=True, stdout=subprocess.PIPE).stdout
    suite = {}
    for block in text.decode("utf-8").split("\n\n"):
        if not block.strip():
            continue
        stanza = {}
        for line in block.strip("\n").replace("\n ", "\x00").replace("\n\t", "\x00").split("\n"):
            field, _, value = line.partition(":")
            stanza[field] = value.strip()
        name = stanza["Package"]
        known = suite.get(name)
        if known is None or compare_versions(stanza["Version"], known["Version"]) > 0:
            suite[name] = stanza
    if not suite:
        sys.exit(f"convert: no stanza in {path}")
    return suite


def mentions(stanza, field):
    """(edge id, target, qualifier, constraint, group, alternative) for each mention in a relation."""
    value = stanza.get(field)
    if not value:
        return
    value = value.replace("\x00", " ")
    package = stanza["Package"]
    seen = {}
    at = group = alternative = 0
    while at < len(value):
        m = MENTION.match(value, at)
        if not m:
            sys.exit(f"convert: {package}: cannot read {field} at {value[at:at + 40]!r}")
        target, qualifier, operator, version, separator = m.groups()
        count = seen[target] = seen.get(target, 0) + 1
        edge = f"{package}>{target}" if count == 1 else f"{package}>{target}#{count}"
        yield edge, target, qualifier, f"{operator} {version}" if operator else None, group, alternative
        if separator == "|":
            alternative += 1
        else:
            group += 1
            alternative = 0
        at = m.end()


def source_of(stanza):
    """(name, version or None)"""
    name, _, version = stanza.get("Source", stanza["Package"]).partition(" ")
    return name, version.strip("() ") or None


def maintainer_of(stanza):
    """(address, name)"""
    m = MAINTAINER.match(stanza["Maintainer"])
    if not m:
        sys.exit(f"convert: {stanza['Package']}: cannot read the maintainer {stanza['Maintainer']!r}")
    return m.group(2).lower(), m.group(1) or m.group(2)


def said_by(stanza):
    return f"{stanza['Package']}={stanza['Version']}"


# ---- what kind of name it is -------------------------------------------------------------------

class Names:
    """Every name that occurs in a set of stanzas, with the two facts that its kind follows from."""

    def __init__(self):
        self.all = set()
        self.real = set()
        self.provided = set()

    def add(self, suite):
        self.real.update(suite)
        self.all.update(suite)
        for stanza in suite.values():
            for field in RELATIONS:
                for mention in mentions(stanza, field):
                    self.all.add(mention[1])
                    if field == "Provides":
                        self.provided.add(mention[1])

    def kind(self, name):
        return "real" if name in self.real else "virtual" if name in self.provided else "missing"


# ---- writing -----------------------------------------------------------------------------------

def package_line(name, kind, stanza):
    out = [f'{{"type":"Package","data":{{"name":"{name}","kind":"{kind}"']
    if stanza is not None:
        get = stanza.get
        out.append(f',"version":{quote(get("Version"))},"architecture":{quote(get("Architecture"))}')
        for field, prop in (("Multi-Arch", "multi_arch"), ("Priority", "priority"), ("Filename", "filename"),
                            ("SHA256", "sha256"), ("Homepage", "homepage")):
            if get(field):
                out.append(f',"{prop}":{quote(get(field))}')
        for field, prop in (("Size", "size"), ("Installed-Size", "installed_size")):
            if get(field):
                out.append(f',"{prop}":{int(get(field))}')
        if get("Essential"):
            out.append(',"essential":' + ("true" if get("Essential") == "yes" else "false"))
        if get("Description"):
            out.append(f',"summary":{quote(get("Description").split(chr(0))[0].strip())}')
        if get("Tag"):
            tags = [t.strip() for t in get("Tag").replace("\x00", " ").split(",")]
            out.append(',"tags":[' + ",".join(quote(t) for t in tags if t) + "]")
    out.append("}}\n")
    return "".join(out)


def relation_lines(relation, field, stanza):
    package = stanza["Package"]
    said = quote(said_by(stanza))
    for edge, target, qualifier, constraint, group, alternative in mentions(stanza, field):
        optional = f',"constraint":{quote(constraint)}' if constraint else ""
        if qualifier:
            optional += f',"qualifier":"{qualifier}"'
        yield (f'{{"edge":"{relation}","from":"{package}","to":"{target}","data":{{"id":"{edge}"{optional},'
               f'"group":{group},"alternative":{alternative},"stanza":{said}}}}}\n')


def functional_lines(stanza):
    package = stanza["Package"]
    source, version = source_of(stanza)
    email, _ = maintainer_of(stanza)
    extra = f',"version":{quote(version)}' if version else ""
    yield f'{{"edge":"MaintainedBy","from":"{package}","to":{quote(email)},"data":{{"id":"{package}"}}}}\n'
    yield f'{{"edge":"InSection","from":"{package}","to":"{stanza["Section"]}","data":{{"id":"{package}"}}}}\n'
    yield f'{{"edge":"BuiltFrom","from":"{package}","to":"{source}","data":{{"id":"{package}"{extra}}}}}\n'


class Others:
    """Sources, sections and maintainers of a set of stanzas."""

    def __init__(self):
        self.sources = set()
        self.sections = set()
        self.maintainers = defaultdict(Counter)

    def add(self, suite):
        for stanza in suite.values():
            self.sources.add(source_of(stanza)[0])
            self.sections.add(stanza["Section"])
            email, name = maintainer_of(stanza)
            self.maintainers[email][name] += 1

    def lines(self, known):
        """Only what `known` has not: a maintainer's spelling or source is not changed by a later suite."""
        for name in sorted(self.sources - known.sources):
            yield f'{{"type":"Source","data":{{"name":"{name}"}}}}\n'
        for name in sorted(self.sections - known.sections):
            yield f'{{"type":"Section","data":{{"name":"{name}"}}}}\n'
        for email in sorted(self.maintainers.keys() - known.maintainers.keys()):
            # The spelling used most often; of equally frequent ones the first in the alphabet.
            name = min(self.maintainers[email].items(), key=lambda item: (-item[1], item[0]))[0]
            yield f'{{"type":"Maintainer","data":{{"email":{quote(email)},"name":{quote(name)}}}}}\n'


def write_jsonl(out, suite, base, counts):
    """Writes the lines for `suite` over a graph that holds `base`."""
    old, new = Names(), Names()
    old.add(base)
    new.add({**base, **suite})
    old_others, others = Others(), Others()
    old_others.add(base)
    others.add(suite)

    for line in others.lines(old_others):
        counts[line[9:line.index('"', 9)]] += 1
        out.write(line)
    for name in sorted(old.all | new.all):
        kind = new.kind(name)
        if name in suite or name not in old.all or kind != old.kind(name):
            stanza = suite.get(name) or base.get(name)
            out.write(package_line(name, kind, stanza))
            counts["Package"] += 1
    order = sorted(suite)
    for field, relation in RELATIONS.items():
        for name in order:
            for line in relation_lines(relation, field, suite[name]):
                out.write(line)
                counts[relation] += 1
    for name in order:
        out.writelines(functional_lines(suite[name]))
    for relation in ("MaintainedBy", "InSection", "BuiltFrom"):
        counts[relation] += len(order)


def stale_statements(suite, base):
    """One delete per relation and package of which the newer stanza lost an edge."""
    for field, relation in RELATIONS.items():
        for name in sorted(suite):
            old = base.get(name)
            if old is None:
                continue
            before = {m[0] for m in mentions(old, field)}
            lost = before - {m[0] for m in mentions(suite[name], field)}
            if not lost:
                continue
            if old["Version"] == suite[name]["Version"]:
                sys.exit(f"convert: {name} {old['Version']} has two stanzas that differ in {field}")
            yield f'    delete {relation} where stanza = {quote(said_by(old))}\n', len(lost)


def write_stale(out, suite, base, counts):
    statements = list(stale_statements(suite, base))
    out.write("// Written by convert.py: the edges that stanzas loaded later no longer have.\n")
    if statements:
        out.write("query drop_stale() {\n" + "".join(s for s, _ in statements) + "}\n")
    counts["stale statements"] = len(statements)
    counts["stale edges"] = sum(n for _, n in statements)


def report_versions(suite, base):
    shared = [name for name in suite if name in base]
    order = Counter(compare_versions(suite[n]["Version"], base[n]["Version"]) for n in shared)
    print(f"{len(suite)} names: {len(suite) - len(shared)} new, {order[1]} newer than before, "
          f"{order[0]} the same version, {order[-1]} older", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("list")
    parser.add_argument("--base", action="append", default=[], metavar="LIST")
    parser.add_argument("--out", required=True, metavar="FILE.jsonl")
    parser.add_argument("--stale", metavar="FILE.gq")
    args = parser.parse_args()

    base = {}
    for path in args.base:
        base.update(read_list(path))
    suite = read_list(args.list)
    counts = Counter()
    with open(args.out, "w", encoding="utf-8", newline="\n") as out:
        write_jsonl(out, suite, base, counts)
    if args.stale:
        with open(args.stale, "w", encoding="utf-8", newline="\n") as out:
            write_stale(out, suite, base, counts)
    if base:
        report_versions(suite, base)
    for what, n in counts.items():
        print(what, n, file=sys.stderr)


if __name__ == "__main__":
    main()

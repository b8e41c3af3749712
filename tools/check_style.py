#!/usr/bin/env python3
"""check_style.py - the part of the style guide that a script can hold us to.

Usage: check_style.py [--self-test] [root]. Prints file:line messages and every exemption;
exits 1 when a rule is broken."""
import os
import re
import sys
import tempfile

FOLDERS = ("src", "include", "tests", "examples")
SKIPPED = ("src/gen", "tests/data")
MAX_FUNCTION = 60   # a function stays under this many lines
MAX_FILE = 800
MAX_COLUMNS = 100
MAX_README = 30

LONG = re.compile(r"^/\* style: long - \S.* \*/$")
ALLOCATORS = re.compile(
    r"(?<![\w.>])(malloc|calloc|realloc|reallocarray|free|aligned_alloc|posix_memalign|strdup|"
    r"strndup|asprintf|vasprintf)\s*\(")
INTRINSICS = re.compile(r"#\s*include\s*<(\w*intrin|arm_neon|arm_sve|x86gprintrin)\.h>")
MARKERS = re.compile(r"\b(TODO|FIXME|XXX)\b")


class Report:
    def __init__(self):
        self.bad, self.exempt = [], []

    def fail(self, path, line, message):
        self.bad.append("%s:%d: %s" % (path, line, message))

    def exemption(self, path, line, what):
        self.exempt.append("%s:%d: exempt: %s" % (path, line, what))


def blanked(text):
    """The text with comments, strings and character constants overwritten by spaces."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)


def functions(code):
    """Yields (first, last) line numbers (from 1) of function definitions, signature included."""
    lines = code.split("\n")
    start = None
    for i, line in enumerate(lines):
        if line.rstrip() == "{":
            start = i
            while start > 0:
                above = lines[start - 1].strip()
                if above == "" or above[0] in "#}" or above[-1] in ";}":
                    break
                start -= 1
        elif line.rstrip() in ("}", "};") and start is not None:
            yield start + 1, i + 1
            start = None


def check_functions(path, raw, code, report):
    raw_lines, code_lines = raw.split("\n"), code.split("\n")
    for first, last in functions(code):
        body = "\n".join(code_lines[first - 1:last])
        length = last - first + 1
        above = raw_lines[first - 2] if first >= 2 else ""
        if length >= MAX_FUNCTION:
            if LONG.match(above):
                report.exemption(path, first, "function of %d lines %s" % (length, above))
            else:
                report.fail(path, first, "function of %d lines (limit: under %d)"
                            % (length, MAX_FUNCTION))
        if re.search(r"\bIA_TRY\s*\(", body) and re.search(r"\bIA_GO\s*\(", body):
            report.fail(path, first, "IA_TRY and IA_GO in one function")


def check_file(path, raw, report):
    """One .c or .h file; path is relative to the root."""
    lines = raw.split("\n")
    name = os.path.basename(path)
    if not re.match(r"^/\* %s - \S.*\S \*/$" % re.escape(name), lines[0]):
        report.fail(path, 1, "line 1 is not '/* %s - what it owns. */'" % name)
    count = len(lines) - (lines[-1] == "")
    if count >= MAX_FILE:
        if len(lines) > 1 and LONG.match(lines[1]):
            report.exemption(path, 2, "file of %d lines %s" % (count, lines[1]))
        else:
            report.fail(path, count, "file of %d lines (limit: under %d)" % (count, MAX_FILE))
    code = blanked(raw)
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS:
            report.fail(path, number, "%d columns (limit: %d)" % (len(line), MAX_COLUMNS))
        if MARKERS.search(line):
            report.fail(path, number, "%s is not allowed" % MARKERS.search(line).group(1))
        if INTRINSICS.search(line) and not name.endswith(("_avx2.c", "_neon.c")):
            report.fail(path, number, "intrinsics outside *_avx2.c and *_neon.c")
    # The command sees only the public headers, so it cannot use our allocator.
    if path.startswith("src/") and not path.startswith("src/cli/") and path != "src/base/mem.c":
        for number, line in enumerate(code.split("\n"), 1):
            found = ALLOCATORS.search(line)
            if found:
                report.fail(path, number, "%s outside src/base/mem.c" % found.group(1))
    check_functions(path, raw, code, report)


def source_files(root):
    for folder in FOLDERS:
        for where, folders, names in os.walk(os.path.join(root, folder)):
            folders.sort()
            rel = os.path.relpath(where, root).replace(os.sep, "/")
            if any(rel == s or rel.startswith(s + "/") for s in SKIPPED):
                folders[:] = []
                continue
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield rel + "/" + name


def check_readmes(root, report):
    src = os.path.join(root, "src")
    for folder in sorted(os.listdir(src)) if os.path.isdir(src) else []:
        where = os.path.join(src, folder)
        rel = "src/%s/README.md" % folder
        if folder == "gen" or not os.path.isdir(where):
            continue
        if not any(n.endswith(".c") for n in os.listdir(where)):
            continue
        if not os.path.exists(os.path.join(root, rel)):
            report.fail(rel, 1, "missing")
            continue
        with open(os.path.join(root, rel), encoding="utf-8") as f:
            count = sum(1 for _ in f)
        if count > MAX_README:
            report.fail(rel, count, "%d lines (limit: %d)" % (count, MAX_README))


def check_tree(root):
    report, seen = Report(), {}
    for path in source_files(root):
        with open(os.path.join(root, path), encoding="utf-8") as f:
            check_file(path, f.read(), report)
        # public headers have a name space of their own: they are spelled "inarch/name.h"
        key = (path.startswith("include/"), os.path.basename(path))
        if key in seen:
            report.fail(path, 1, "file name is taken by %s" % seen[key])
        seen.setdefault(key, path)
    check_readmes(root, report)
    return report


def self_test():
    """Every rule must fire on a file that breaks it, and only there."""
    head = "/* a.c - x. */\n"
    body = "int f(void)\n{\n%s}\n"
    long_body = body % ("    g();\n" * 60)
    cases = [
        ("src/x/a.c", head + body % "    g();\n", None),
        ("src/x/a.c", "int x;\n", "line 1"),
        ("src/x/a.c", "/* b.c - x. */\n", "line 1"),
        ("src/x/a.c", head + long_body, "function of 63"),
        ("src/x/a.c", head + "/* style: long - a table */\n" + long_body, None),
        ("src/x/a.c", head + "/* style: long - */\n" + long_body, "function of 63"),
        ("src/x/a.c", head + "int x;\n" * 800, "file of 801"),
        ("src/x/a.c", head + "/* style: long - a table */\n" + "int x;\n" * 800, None),
        ("src/x/a.c", head + body % "    p = malloc(3);\n", "malloc"),
        ("src/x/a.c", head + body % "    free(p); /* x */\n", "free"),
        ("src/x/a.c", head + body % "    ia_free(p); a->free(p); \"free(p)\"; /* free(p) */\n", None),
        ("src/base/mem.c", head.replace("a.c", "mem.c") + body % "    free(p);\n", None),
        ("src/cli/a.c", head + body % "    free(p);\n", None),
        ("src/x/a.c", head + "#include <immintrin.h>\n", "intrinsics"),
        ("src/x/a_avx2.c", "/* a_avx2.c - x. */\n#include <immintrin.h>\n", None),
        ("src/x/a.c", head + body % "    IA_TRY(g());\n    IA_GO(g());\n", "IA_TRY and IA_GO"),
        ("src/x/a.c", head + body % "    IA_TRY(g());\n" + "\n" + body % "    IA_GO(g());\n", None),
        ("src/x/a.c", head + "/* " + "x" * 95 + " */\n", "101 columns"),
        ("src/x/a.c", head + "/* TO" + "DO: x */\n", "not allowed"),
        ("src/gen/a.c", "int x;\n", None),
    ]
    failed = 0
    for number, (path, text, want) in enumerate(cases):
        with tempfile.TemporaryDirectory() as root:
            where = os.path.join(root, path)
            os.makedirs(os.path.dirname(where))
            with open(where, "w", encoding="utf-8") as f:
                f.write(text)
            with open(os.path.join(os.path.dirname(where), "README.md"), "w") as f:
                f.write("# x\n")
            bad = check_tree(root).bad
        right = (not bad) if want is None else (len(bad) == 1 and want in bad[0])
        if not right:
            failed += 1
            print("self-test %d: wanted %r, got %r" % (number, want, bad))
    with tempfile.TemporaryDirectory() as root:
        for path in ("src/x/a.c", "tests/a.c"):
            os.makedirs(os.path.join(root, os.path.dirname(path)))
            with open(os.path.join(root, path), "w") as f:
                f.write(head)
        bad = check_tree(root).bad
        if len(bad) != 2 or "taken" not in bad[0] or "missing" not in bad[1]:
            failed += 1
            print("self-test names: got %r" % bad)
    print("self-test: %d failed" % failed)
    return failed == 0


def main(args):
    if "--self-test" in args:
        return 0 if self_test() else 1
    root = args[0] if args else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    report = check_tree(root)
    for line in report.exempt + report.bad:
        print(line)
    return 1 if report.bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

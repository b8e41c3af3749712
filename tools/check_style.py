#!/usr/bin/env python3
"""check_style.py - fails where a C file breaks the rules a machine can check.

Usage: tools/check_style.py [FILE ...]   (default: every .c and .h under version control's folders)

Line 1 is one comment saying what the file owns; functions stay under 60 lines and files under 800,
unless exempted by "/* style: long - reason */" (each exemption is printed); no tabs; malloc and
its kin only in base/mem.c and in programs; intrinsics only in *_avx2.c and *_neon.c; IA_TRY and
IA_GO never in one function; no alloca; unique file names; a README.md of at most 30 lines per layer.
Line width is the formatter's business: lines over 100 columns are only counted.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ("src", "include", "tests", "bench", "examples", "fuzz")
MAX_FUNCTION, MAX_FILE, MAX_COLUMNS, MAX_README = 60, 800, 100, 30
ALLOCATORS = re.compile(r"(?<![\w.>])(malloc|calloc|realloc|free|strdup|strndup|asprintf|vasprintf)\s*\(")
ALLOCATOR_FILES = ("src/base/mem.c",)
# Programs see only the public headers, so they cannot use base/mem.c.
PROGRAMS = ("src/cli/", "src/server/")
INTRINSICS = re.compile(r"\b(_mm\d*_\w+|__m(128|256|512)[id]?|v(ld|st)\d\w*_[fsu]\d+|\w*intrin\.h|arm_neon\.h)\b")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
ALLOCA = re.compile(r"\balloca\s*\(")
EXEMPT = re.compile(r"/\*\s*style: long - (\S.*?)\s*\*/")

problems = []
exemptions = []
wide = []


def problem(path, line, text):
    problems.append(f"{path}:{line}: {text}")


def blank(match):
    """Keeps the line structure of what it removes."""
    return re.sub(r"[^\n]", " ", match.group())


def without_comments_and_strings(text):
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, blank, text, flags=re.S)


def functions(code):
    """(first line of the signature, brace line, closing line), 1-based, of each definition."""
    start = None
    for number, line in enumerate(code, 1):
        if line == "{":
            start = number
        elif line.startswith("}") and start:
            first = start
            while first > 1 and code[first - 2].strip() and code[first - 2][0] not in "#}":
                first -= 1
            head = " ".join(code[first - 1:start - 1])
            if "(" in head:
                yield first, start, number
            start = None


def check_functions(path, lines, code):
    for first, start, end in functions(code):
        body = "\n".join(code[start:end - 1])
        if re.search(r"\bIA_TRY\s*\(", body) and re.search(r"\bIA_GO\s*\(", body):
            problem(path, start, "IA_TRY and IA_GO in one function")
        length = end - start - 1
        if length < MAX_FUNCTION:
            continue
        reason = EXEMPT.search("\n".join(lines[max(0, first - 4):end]))
        if reason:
            exemptions.append(f"{path}:{first}: {length} lines: {reason.group(1)}")
        else:
            problem(path, start, f"function of {length} lines, the limit is {MAX_FUNCTION}")


def check_lines(path, lines, code):
    in_src = path.startswith("src/")
    for number, (line, bare) in enumerate(zip(lines, code), 1):
        if len(line) > MAX_COLUMNS:
            wide.append(path)
        if "\t" in line:
            problem(path, number, "tab")
        if line != line.rstrip():
            problem(path, number, "space at the end of the line")
        if UNFINISHED.search(line):
            problem(path, number, "unfinished work")
        if ALLOCA.search(bare):
            problem(path, number, "alloca")
        if in_src and not path.startswith(PROGRAMS) and path not in ALLOCATOR_FILES and ALLOCATORS.search(bare):
            problem(path, number, "heap call outside base/mem.c")
        if in_src and not re.search(r"_(avx2|neon)\.c$", path) and INTRINSICS.search(bare):
            problem(path, number, "intrinsics outside *_avx2.c and *_neon.c")


def check_file(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        text = f.read()
    lines = text.split("\n")
    if text and not text.endswith("\n"):
        problem(path, len(lines), "no newline at the end")
    if lines and lines[-1] == "":
        lines.pop()
    name = os.path.basename(path)
    if not re.fullmatch(rf"/\* {re.escape(name)} - .+\. ?\*/", lines[0] if lines else ""):
        problem(path, 1, f"line 1 is not /* {name} - what it owns. */")
    if len(lines) >= MAX_FILE:
        reason = EXEMPT.search("\n".join(lines[:30]))
        if reason:
            exemptions.append(f"{path}: {len(lines)} lines: {reason.group(1)}")
        else:
            problem(path, 1, f"file of {len(lines)} lines, the limit is {MAX_FILE}")
    code = without_comments_and_strings(text).split("\n")
    check_lines(path, lines, code)
    check_functions(path, lines, code)


def find_files():
    for folder in FOLDERS:
        for here, dirs, files in os.walk(os.path.join(ROOT, folder)):
            dirs[:] = sorted(d for d in dirs if d not in ("gen", "node_modules", "data", "__pycache__"))
            for name in sorted(files):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(here, name), ROOT)


def check_folders(paths):
    seen = {}
    for path in paths:
        name = os.path.basename(path)
        if path.startswith("src/") and seen.setdefault(name, path) != path:
            problem(path, 1, f"file name also used by {seen[name]}")
    for folder in sorted({os.path.dirname(p) for p in paths if p.startswith("src/")}):
        readme = os.path.join(ROOT, folder, "README.md")
        # A folder inside a layer may be covered by the layer's page.
        if folder.count("/") == 1 and not os.path.exists(readme):
            problem(folder + "/README.md", 1, "is missing")
        elif os.path.exists(readme):
            with open(readme, encoding="utf-8") as f:
                count = len(f.read().splitlines())
            if count > MAX_README:
                problem(folder + "/README.md", 1, f"{count} lines, the limit is {MAX_README}")


def main(arguments):
    paths = [os.path.relpath(os.path.abspath(a), ROOT) for a in arguments] or list(find_files())
    if not paths:
        print("check_style: no file to check", file=sys.stderr)
        return 2
    for path in paths:
        check_file(path)
    if not arguments:
        check_folders(paths)
    for line in exemptions:
        print("exempt: " + line)
    if wide:
        print(f"{len(wide)} lines in {len(set(wide))} files are over {MAX_COLUMNS} columns")
    for line in problems:
        print(line, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

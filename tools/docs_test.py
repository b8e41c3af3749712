#!/usr/bin/env python3
"""docs_test.py - runs the examples of the documents and compares what they print.

Usage: tools/docs_test.py --prefix DIR FILE.md ...     DIR: where `cmake --install` put the program
       tools/docs_test.py --selftest

A fenced block ```console is a session. Lines beginning with "$ " are commands, lines beginning with
"> " continue them; everything else is what they print, standard output and error together. A line
"..." matches any number of lines, "..." inside a line matches anything in it. A command must succeed
unless it ends with "# exit N". A block whose info string has file=NAME is written to that file first.
One document is one session: one shell in one empty directory, so that files and variables live on.
$EXAMPLES is the folder of the examples.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MARK = "\x1e"
TIMEOUT = 120


def blocks(text):
    """(line number, language, {option: value}, lines) of each fenced block."""
    lines = text.split("\n")
    i = 0
    while i < len(lines):
        m = re.match(r"( *)(```+)\s*(\S*)\s*(.*)$", lines[i])
        if not m:
            i += 1
            continue
        indent, fence, language, info = m.groups()
        start = i + 1
        i += 1
        body = []
        while i < len(lines) and lines[i].strip() != fence:
            body.append(lines[i][len(indent):] if lines[i].startswith(indent) else lines[i])
            i += 1
        if i == len(lines):
            raise ValueError(f"line {start}: block is never closed")
        i += 1
        yield start, language, dict(re.findall(r"(\w+)=(\S+)", info)), body


def steps(start, body):
    """(line number, command, expected lines) of each command of a console block."""
    found = []
    for offset, line in enumerate(body):
        if line.startswith("$ "):
            found.append((start + offset + 1, [line[2:]], []))
        elif not found:
            raise ValueError(f"line {start + offset + 1}: output before the first command")
        elif (line.startswith("> ") or line == ">") and not found[-1][2]:
            found[-1][1].append(line[2:])
        else:
            found[-1][2].append(line)
    return [(number, "\n".join(command), expected) for number, command, expected in found]


def matches(expected, got):
    """Whether the printed lines are those expected, with "..." standing for anything."""
    pattern = []
    for line in expected:
        if line.strip() == "...":
            pattern.append(r"(?:[^\n]*\n)*?")
        else:
            text = line.rstrip().split("...")
            pattern.append(r"[^\n]*?".join(re.escape(part) for part in text) + r"[ \t]*\n")
    return re.fullmatch("".join(pattern), "".join(line + "\n" for line in got)) is not None


def script_of(path):
    """The shell script of a document, and its steps in order."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    script, todo = [], []
    for start, language, options, body in blocks(text):
        if "file" in options:
            script.append(f"cat > {options['file']} <<'{MARK}'\n" + "\n".join(body) + f"\n{MARK}")
        elif language == "console":
            for step in steps(start, body):
                script.append(step[1])
                script.append(f"printf '{MARK}%s\\n' $?")
                todo.append(step)
    return "\n".join(script) + "\n", todo


def run_document(path, environment):
    """Messages about what does not agree, and the number of commands."""
    script, todo = script_of(path)
    if not todo:
        return [], 0
    with tempfile.TemporaryDirectory() as work:
        home = os.path.join(work, "work")
        os.mkdir(home)
        name = os.path.join(work, "session.sh")
        with open(name, "w", encoding="utf-8") as f:
            f.write(script)
        try:
            done = subprocess.run(["bash", name], cwd=home, env=environment, timeout=TIMEOUT, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            return [f"{path}: the session took over {TIMEOUT} s"], len(todo)
    parts = re.split(f"{MARK}([0-9]+)\n", done.stdout)
    problems = []
    for i, (number, command, expected) in enumerate(todo):
        if 2 * i + 1 >= len(parts):
            problems.append(f"{path}:{number}: never ran: {command}\n{parts[-1]}")
            break
        printed, code = parts[2 * i], int(parts[2 * i + 1])
        got = printed.split("\n")
        if got and got[-1] == "":
            got.pop()
        while expected and expected[-1] == "":
            expected = expected[:-1]
        wanted = re.search(r"#\s*exit (\d+)\s*$", command)
        if code != (int(wanted.group(1)) if wanted else 0):
            problems.append(f"{path}:{number}: exit {code}: {command}\n" + printed)
        elif not matches(expected, got):
            problems.append(f"{path}:{number}: {command}\n--- the document says\n" + "\n".join(expected)
                            + "\n--- printed\n" + "\n".join(got))
    return problems, len(todo)


def selftest():
    assert matches(["a", "...", "z"], ["a", "z"]) and matches(["a", "...", "z"], ["a", "b", "c", "z"])
    assert matches(["id ... end"], ["id 01J end"]) and not matches(["id ... end"], ["id 01J"])
    assert not matches(["a"], ["a", "b"]) and not matches([], ["x"]) and matches([], [])
    assert matches(["..."], []) and not matches(["a", "..."], ["b"])
    document = ("```console\n$ x=5; cat <<'E'\n> one\n> E\none\n$ echo $x; exit_is() { return 3; }; exit_is # exit 3\n5\n```\n"
                "```text file=t.txt\nhello\n```\n```console\n$ cat t.txt\nhello\n$ echo wrong\nright\n$ false\n```\n")
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "d.md")
        with open(path, "w", encoding="utf-8") as f:
            f.write(document)
        problems, count = run_document(path, dict(os.environ))
    assert count == 5 and len(problems) == 2, problems
    assert "echo wrong" in problems[0] and "exit 1: false" in problems[1], problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--prefix")
    parser.add_argument("--selftest", action="store_true")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    if args.selftest:
        selftest()
        return 0
    if not args.prefix or not args.files:
        parser.error("--prefix DIR and at least one file are needed")
    prefix = os.path.abspath(args.prefix)
    libraries = [d for d in (os.path.join(prefix, "lib", m) for m in ("", *sorted(os.listdir(os.path.join(prefix, "lib")))))
                 if os.path.isdir(d)] if os.path.isdir(os.path.join(prefix, "lib")) else []
    environment = dict(os.environ)
    environment.pop("CI", None)
    environment.update(
        PATH=os.path.join(prefix, "bin") + os.pathsep + environment["PATH"],
        LD_LIBRARY_PATH=os.pathsep.join(libraries),
        PKG_CONFIG_PATH=os.pathsep.join(os.path.join(d, "pkgconfig") for d in libraries),
        EXAMPLES=os.path.join(ROOT, "examples"), LC_ALL="C.UTF-8", TZ="UTC", USER="reader", LOGNAME="reader")
    bad = total = 0
    for path in args.files:
        try:
            problems, count = run_document(path, environment)
        except ValueError as error:
            problems, count = [f"{path}: {error}"], 0
        total += count
        bad += len(problems)
        for text in problems:
            print(text, file=sys.stderr)
    if total == 0:
        print("no console block in these documents", file=sys.stderr)
        return 1
    print(f"note: {total} commands, {bad} problems")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

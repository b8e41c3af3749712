#!/usr/bin/env python3
"""man.py - writes docs/inarch.1 from what `inarch --help` and `inarch COMMAND --help` say.

Usage: tools/man.py PROGRAM [--check]     --check changes nothing and fails when the page is out of date
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "inarch.1")


def help_of(program, *command):
    done = subprocess.run([program, *command, "--help"], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.rstrip("\n").split("\n")


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def verbatim(lines):
    return [".nf", *(roff(line) for line in lines), ".fi"]


def commands_of(lines):
    """(name, summary) from the lines below "commands:"."""
    start = lines.index("commands:") + 1
    for line in lines[start:]:
        m = re.match(r"  (\S+(?: \S+)?)\s{2,}(\S.*)$", line) or re.match(r"  (\S+(?: \S+)?) (\S.*)$", line)
        if not m:
            return
        yield m.group(1), m.group(2)


def page(program):
    version = subprocess.run([program, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()[1]
    main = help_of(program)
    shared = main[main.index("options of every command:") + 1:]
    out = [f'.TH INARCH 1 "" "inarch {version}" "User Commands"', ".SH NAME", roff(main[0]), ".SH SYNOPSIS",
           ".B inarch", ".I COMMAND", "[", ".I arguments", "] [", ".I options", "]", ".SH COMMANDS"]
    for name, summary in commands_of(main):
        lines = help_of(program, *name.split())
        try:
            lines = lines[:lines.index("options of every command:")]
        except ValueError:
            pass
        usage = next(line[len("usage: "):] for line in lines if line.startswith("usage: "))
        rest = lines[lines.index("usage: " + usage) + 1:]
        while rest and not rest[0]:
            rest.pop(0)
        while rest and not rest[-1]:
            rest.pop()
        out += [".SS " + roff(name), roff(summary) + ".", ".PP", ".B " + roff(usage), ".PP", *verbatim(rest)]
    out += [".SH OPTIONS OF EVERY COMMAND", *verbatim(shared), ".SH SEE ALSO",
            roff("docs/cli.md, docs/pg.md, docs/gq.md, docs/limits.md")]
    return "\n".join(out) + "\n"


def main(arguments):
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    text = page(arguments[0])
    if "--check" in arguments:
        with open(PAGE, encoding="utf-8") as f:
            if f.read() == text:
                return 0
        print("docs/inarch.1 is out of date: run tools/man.py build/release/.../inarch", file=sys.stderr)
        return 1
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Data files of every type, null pattern, version and encoding: the real engine's read by us, ours read by it.

    conformance.py [--only SUBSTRING] [--jobs N] [--print] [--docs FILE] [--check-docs FILE]   (INARCH_LIBRARY)

A file holds one column. Its cell is (type, nulls, version, writer, encoding); the encoding is what file_dump.py, which
shares no code with the library, finds in the bytes. Files that differ only in size or values fall into one cell.
"""
import argparse
import collections
import concurrent.futures
import multiprocessing
import os
import re
import sys
import tempfile
import time
import traceback

os.environ.setdefault("LANCE_LOG", "error")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.environ.get("INARCH_PYTHON") or os.path.join(HERE, "..", "..", "python")]
import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
from lance.file import LanceFileReader, LanceFileWriter  # noqa: E402

import file_dump  # noqa: E402
import file_types as ft  # noqa: E402
import inarch  # noqa: E402

VERSIONS = ("2.0", "2.1", "2.2", "2.3")
WRITABLE = ("2.1", "2.2")
SIZES = (1025, 3, 5000, 1, 1024, 100, 20000, 1023, 256)
MIN_CELLS = 600

# Metadata that steers both writers, by what it is good for.
ANY = ({}, {"compression": "zstd"}, {"compression": "lz4"}, {"structural-encoding": "miniblock"},
       {"structural-encoding": "fullzip"})
NUMERIC = ({"compression": "lz4", "bss": "on"}, {"compression": "zstd", "bss": "on"}, {"compression": "none"},
           {"rle-threshold": "1.0"})
TEXT = ({"compression": "fsst"}, {"dict-size-ratio": "1.0", "dict-divisor": "2"}, {"compression": "zstd", "compression-level": "3"},
        {"dict-values-compression": "none"}, {"dict-values-compression": "zstd"})
SPARSE = ({"structural-encoding": "sparse"},)
# Stored like another type: the name of the type is what there is to try.
ALIKE = {"timestamp_s", "timestamp_ms", "timestamp_ns", "timestamp_zone", "duration_s", "duration_ms", "duration_ns", "time32ms",
         "time64ns", "decimal128_7", "date64", "uint64", "uint16", "large_binary"}
# What our writer is told to use whatever the statistics say.
FORCED = ("flat", "bitpack", "rle", "dictionary", "fsst", "bss", "variable", "miniblock", "fullzip")


def is_text(typ):
    return any(k(typ) for k in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary))


def has_text(typ):
    if pa.types.is_dictionary(typ):
        return is_text(typ.value_type)
    return is_text(typ) or any(has_text(typ.field(i).type) for i in range(typ.num_fields))


def flavours(typ):
    if pa.types.is_null(typ):
        return ("random",)
    if has_text(typ):
        return ("random", "few", "runs", "one", "long", "huge", "short")
    if pa.types.is_list(typ) or pa.types.is_large_list(typ) or pa.types.is_map(typ):
        return ("random", "few", "small", "one", "runs", "long")
    return ("random", "few", "runs", "one", "sorted", "small", "negative")


def recipes(name, version):
    """(flavour, metadata, rows) of the files of a type; the sizes take turns."""
    typ = ft.TYPES[name]
    steer = ANY + (TEXT if has_text(typ) else NUMERIC) + (SPARSE if version == "2.3" else ())
    if version == "2.0":
        steer = ANY[:3] + TEXT[:1]
    out = [(f, {}, SIZES[i % len(SIZES)]) for i, f in enumerate(flavours(typ))]
    if name in ALIKE:
        return out[:3]
    out += [(f, m, 3000 + 37 * i) for i, m in enumerate(steer[1:]) for f in flavours(typ)[i % 3:i % 3 + 1]]
    return out


def field_of(name, meta):
    extra = {f"lance-encoding:{k}".encode(): v.encode() for k, v in meta.items()}
    return pa.field("c", ft.TYPES[name], True, {**extra, **ft.METADATA.get(name, {})} or None)


def is_wide(typ):
    return pa.types.is_fixed_size_binary(typ) and typ.byte_width >= 300 or any(f"[{n}]" in str(typ) for n in (100, 200, 2400))


def table(name, nulls, flavour, meta, n, seed):
    typ = ft.TYPES[name]
    if is_wide(typ) or flavour in ("huge", "long"):
        n = min(n, 1100 if typ.num_fields == 0 or not has_text(typ) else 90)
    if pa.types.is_map(typ) or "map<" in str(typ):
        n = min(n, 1500 if flavour not in ("huge", "long") else 60)
    a = ft.column(name, n, nulls, flavour, seed)
    return pa.table([a], schema=pa.schema([field_of(name, meta)]))


def value_encoding(text):
    """A page description without what the null pattern decides: layers and codecs of levels."""
    text = re.sub(r"^sparse .*?(?= (mini|zip|constant|none)\b(?!;))", "sparse", text)
    text = re.sub(r"\[[^]]*\]", "", text)
    text = re.sub(r" (rep|def)=\S+", "", text)
    text = re.sub(r" (rep|def)\d+", "", text)
    return text.replace(" levels", "").replace(" large", "")


class Mismatch(Exception):
    pass


def same(a, b, what):
    why = ft.difference(a, b)
    if why:
        raise Mismatch(f"{what}: {why}")


def batches_of(rng, t):
    """The same rows in uneven slices, as a caller's batches come."""
    cuts = np.unique(np.concatenate([[0, t.num_rows], rng.integers(0, t.num_rows + 1, 3)]))
    return [t.slice(int(a), int(b - a)) for a, b in zip(cuts, cuts[1:])] or [t]


def picks(rng, n):
    return np.unique(np.concatenate([rng.integers(0, n, min(n, 25)), [0, n - 1]]))


# ---- the two readers ------------------------------------------------------------------------------------------------

def check_ours(path, want, rng):
    """What we read of the file is `want`."""
    with inarch.open_file(path) as f:
        n = len(want)
        if f.rows != n or f.verify() != n:
            raise Mismatch(f"{f.rows} rows")
        same(pa.table(f.scan())["c"], want, "our scan")
        same(pa.table(f.scan(batch_rows=333, threads=2))["c"], want, "our scan by 333")
        a, b = sorted(int(x) for x in rng.integers(0, n + 1, 2))
        if a < b:
            same(pa.table(f.scan(begin=a, end=b, batch_rows=100))["c"], want.slice(a, b - a), f"our rows {a} to {b}")
        at = picks(rng, n)
        same(pa.table(f.take([int(x) for x in at]))["c"], want.take(pa.array(at)), "our take")
        mixed = rng.permutation(np.concatenate([at, at[:3]]))
        same(pa.table(f.take([int(x) for x in mixed]))["c"], want.take(pa.array(mixed)), "our take in any order")


def check_theirs(path, want, rng):
    """What the engine reads of our file is `want`."""
    n = len(want)
    same(LanceFileReader(path).read_all().to_table()["c"], want, "its scan")
    same(LanceFileReader(path).read_all(batch_size=333).to_table()["c"], want, "its scan by 333")
    a, b = sorted(int(x) for x in rng.integers(0, n + 1, 2))
    if a < b:
        same(LanceFileReader(path).read_range(a, b - a).to_table()["c"], want.slice(a, b - a), f"its rows {a} to {b}")
    at = picks(rng, n)
    same(LanceFileReader(path).take_rows([int(x) for x in at]).to_table()["c"], want.take(pa.array(at)), "its take")


def engine_writes(path, t, version, rng):
    """None, or why the engine refuses the data. It panics on slices of nested columns: those go in one piece."""
    why = None
    for parts in batches_of(rng, t), [t]:
        try:
            with LanceFileWriter(path, t.schema, version=version) as w:
                for part in parts:
                    w.write_batch(part)
            return None
        except BaseException as e:  # panics of the engine derive from it
            if isinstance(e, (KeyboardInterrupt, SystemExit)):
                raise
            why = re.sub(r",? ?/\S+|\d+", "", str(e).split("\n")[0])[:110]
    return why


def engine_reads(path):
    """The engine's own view of its file; None where it cannot read it."""
    try:
        return ft.whole(LanceFileReader(path).read_all().to_table()["c"])
    except BaseException as e:
        if isinstance(e, (KeyboardInterrupt, SystemExit)):
            raise
        return None


# ---- cells ----------------------------------------------------------------------------------------------------------

def run_theirs(path, t, version, rng):
    refused = engine_writes(path, t, version, rng)
    if refused is not None:
        return None, refused
    dump = file_dump.File(path)
    if dump.rows != t.num_rows:
        raise Mismatch("the dump counts other rows")
    want = engine_reads(path)
    try:
        check_ours(path, ft.whole(t["c"]) if want is None else want, rng)
    except inarch.Error as e:
        if want is not None or e.code != "unsupported":
            raise
        return None, "written by the engine, but refused by its own reader and by ours"
    return dump.encodings(), None


def run_ours(path, t, version, rng, encoding):
    try:
        inarch.write_file(path, pa.Table.from_batches([b for p in batches_of(rng, t) for b in p.to_batches()], t.schema),
                          version=version, encoding=encoding, page_bytes=int(rng.choice([0, 0, 20000])))
    except inarch.Error as e:
        if e.code != "unsupported":
            raise
        return None, re.sub(r"^.*'c': |'[^']*'| \(.*\)", "", str(e))[:110]
    want = ft.whole(t["c"])
    check_theirs(path, want, rng)
    check_ours(path, want, rng)
    return file_dump.File(path).encodings(), None


def payloads(path, a):
    """The bytes that blob descriptors name, read from the file by hand."""
    with open(path, "rb") as f:
        b = f.read()
    return [None if d is None else b[d["position"]:d["position"] + d["size"]] for d in a.to_pylist()]


def blob_rows(nulls, n, seed):
    rng = np.random.default_rng(seed)
    m = ft.mask(rng, nulls if nulls != "inner" else "ends", n)
    return [None if null else rng.bytes(int(rng.choice([0, 5, 300, 70000]))) for null in m]


def run_blob(path, nulls, version, writer, n, seed):
    """Blob columns read as descriptors; a null of 2.0 is a descriptor of its own to the engine."""
    want = blob_rows(nulls, n, seed)
    t = pa.table([pa.array(want, pa.large_binary())], schema=pa.schema([pa.field("c", pa.large_binary(), True, ft.BLOB)]))
    if writer == "theirs":
        with LanceFileWriter(path, t.schema, version=version) as w:
            w.write_batch(t)
    else:
        inarch.write_file(path, t, version=version)
        if LanceFileReader(path).read_all().to_table()["c"].to_pylist() != want:
            raise Mismatch("it reads other bytes")
    with inarch.open_file(path) as f:
        got = pa.table(f.scan())["c"]
        if f.verify() != n or payloads(path, got) != want:
            raise Mismatch("our descriptors name other bytes")
        some = [(d, w) for d, w in zip(got.to_pylist(), want) if w]
        if any(f.read_blob(d["position"], d["size"]) != w for d, w in some[:5]):
            raise Mismatch("other bytes of a blob")
        at = [int(x) for x in picks(np.random.default_rng(seed), n)]
        if payloads(path, pa.table(f.take(at))["c"]) != [want[i] for i in at]:
            raise Mismatch("our take of descriptors")
    return file_dump.File(path).encodings()


def run_blobs(job):
    name, version, writer = job
    cells, failed, raw = collections.Counter(), [], set()
    with tempfile.TemporaryDirectory() as place:
        for k, (nulls, n) in enumerate((u, n) for u in ft.NULLS for n in (1, 40, 300)):
            try:
                met = run_blob(os.path.join(place, f"{k}.lance"), nulls, version, writer, n, k)
            except Exception as e:
                failed.append(f"{name} {version} {writer} nulls={nulls} rows={n}: {e}")
                continue
            raw.update(met)
            cells[(name, nulls, version, writer, " + ".join(dict.fromkeys(value_encoding(x) for x in met)))] += 1
    return cells, collections.Counter(), failed, {(version, writer, x) for x in raw}


def jobs(only):
    for name in (*ft.TYPES, "blob"):
        for version in VERSIONS:
            for writer in ("theirs", "ours") if version in WRITABLE else ("theirs",):
                label = f"{name} {version} {writer}"
                if name == "blob" and version == "2.3":  # blobs are structs there
                    continue
                if only in label:
                    yield name, version, writer


def run_job(job):
    """All files of a type, version and writer: ({cell: files}, {refusal: files}, [failures])."""
    name, version, writer = job
    if name == "blob":
        return run_blobs(job)
    cells, refused, failed, raw = collections.Counter(), collections.Counter(), [], set()
    with tempfile.TemporaryDirectory() as place:
        for nulls in ft.NULLS:
            plans = [(f, m, n, None) for f, m, n in recipes(name, version)]
            if writer == "ours" and name not in ALIKE:
                plans += [(f, {}, 2500, e) for k, e in enumerate(FORCED) for f in flavours(ft.TYPES[name])[k % 2:k % 2 + 1]]
            for k, (flavour, meta, n, encoding) in enumerate(plans):
                rng = np.random.default_rng([k, VERSIONS.index(version), ft.NULLS.index(nulls)])
                path = os.path.join(place, f"{k}.lance")
                what = f"{name} {version} {writer} nulls={nulls} {flavour} {meta or ''} {encoding or ''} rows={n}"
                try:
                    t = table(name, nulls, flavour, meta, n, k)
                    run = run_theirs(path, t, version, rng) if writer == "theirs" else run_ours(path, t, version, rng, encoding)
                except Exception as e:
                    text = str(e) if isinstance(e, (Mismatch, inarch.Error)) else traceback.format_exc(limit=-2)
                    failed.append(f"{what}: {text}")
                    continue
                finally:
                    if os.path.exists(path):
                        os.remove(path)
                met, why = run
                if met is None:
                    refused[(name, version, writer, why)] += 1
                    continue
                raw.update(met)
                key = " + ".join(dict.fromkeys(value_encoding(x) for x in met))
                cells[(name, nulls, version, writer, key)] += 1
    return cells, refused, failed, {(version, writer, x) for x in raw}


# What no engine of ours at hand writes; the tests decode bytes made by hand.
BY_HAND = (
    ("test_file_encodings", ("sparse pages of the older form (`PageLayout`)", "`bss(flat16)`", "Zstandard without a size prefix",
                             "a dictionary with its count, as older writers had it", "a dictionary of 64-bit offsets",
                             "a control byte although there are no levels", "chunks of more levels than their 16-bit count says",
                             "sparse sets listed, ranged, constant, empty, by deltas", "`rle` with 16 and 32 bit lengths",
                             "`variable` with `range`, `delta`, `rle` offsets", "`dictionary` counts of lists")),
    ("test_file_v20", ("`bitpacked`", "`fixed_size_binary`", "`constant`", "`fixed_size_list` in one piece")),
    ("test_file_vectors", ("damaged variants of every real file under `tests/data`",)),
)


# ---- report ---------------------------------------------------------------------------------------------------------

def plain(text):
    """An encoding without its numbers, for the list of what was met."""
    text = value_encoding(text)
    text = re.sub(r"packed\([\d,]+;", "packed(", text)
    return re.sub(r"(?<=[a-z])(?<!lz)\d+(?=[v,()\s]|$)", "", text)


def report(cells, refused, raw):
    names = sorted({plain(p) for k in cells for p in k[4].split(" + ")})
    number = {e: i + 1 for i, e in enumerate(names)}
    columns = [(v, w) for v in VERSIONS for w in ("theirs", "ours") if v in WRITABLE or w == "theirs"]
    grid = collections.defaultdict(set)
    for name, nulls, version, writer, key in cells:
        grid[name, nulls, version, writer].update(number[plain(p)] for p in key.split(" + "))
    out = ["# Conformance of data files", "",
           "Written by `tests/interop/conformance.py --docs docs/conformance.md`; a test compares it with a fresh run.",
           "`theirs`: pylance 14 writes, we read. `ours`: we write, pylance reads, and we read. Every file is read whole, in",
           "batches, by range and by position. The encodings are those that `tests/interop/file_dump.py` finds in the bytes.",
           "", f"**{len(cells)} cells** (type x nulls x version x writer x encoding) pass.", "",
           "| | " + " | ".join(f"{v} {w}" for v, w in columns) + " |", "|---" * (len(columns) + 1) + "|",
           "| cells | " + " | ".join(str(sum(1 for k in cells if (k[2], k[3]) == c)) for c in columns) + " |", "",
           "## Encodings met", "", "| no | encoding | " + " | ".join(f"{v} {w}" for v, w in columns) + " |",
           "|---" * (len(columns) + 2) + "|"]
    count = collections.Counter((plain(p), k[2], k[3]) for k in cells for p in k[4].split(" + "))
    for e in names:
        out.append(f"| {number[e]} | `{e}` | " + " | ".join(str(count[e, v, w] or "") for v, w in columns) + " |")
    levels = sorted({re.sub(r"(?<!lz)\d+", "", m.group(0)) for _, _, x in raw for m in re.finditer(r"(rep|def)=\S+", x)})
    sets = sorted({re.sub(r"(?<!lz)\d+", "", m.group(0)) for _, _, x in raw if x.startswith("sparse")
                   for m in re.finditer(r"(validity|list|fsl\d+)\(\S+\)(?= )", x)})
    out += ["", "Codecs of levels met: " + ", ".join(f"`{x}`" for x in levels) + ".", "",
            "Sparse layers met (of 2.3): " + ", ".join(f"`{x}`" for x in sets) + ".", "", "## Cells", "",
        "Numbers are those of the list above; empty means that the writer refuses the type or the nulls there.", "",
        "| type | nulls | " + " | ".join(f"{v} {w}" for v, w in columns) + " |", "|---" * (len(columns) + 2) + "|"]
    for name in (*ft.TYPES, "blob"):
        for nulls in ft.NULLS:
            row = [" ".join(map(str, sorted(grid.get((name, nulls, v, w), ())))) for v, w in columns]
            out.append(f"| {name} | {nulls} | " + " | ".join(row) + " |")
    out += ["", "## On bytes made by hand", "",
            "Met in no file of the engine at hand, or rarely; each is decoded whole, by range and by position, and every byte damaged.", ""]
    out += [f"- `tests/unit/file/{test}.c`: {'; '.join(what)}" for test, what in BY_HAND]
    out += ["", "## Refused by the writers", ""]
    for (version, writer, why), kinds in sorted(by_reason(refused).items()):
        out.append(f"- {version} {writer}: {why.strip()} ({', '.join(sorted(kinds))})")
    return "\n".join(out) + "\n"


def by_reason(refused):
    out = collections.defaultdict(set)
    for name, version, writer, why in refused:
        out[version, writer, why].add(name)
    return out


def silence():
    """The engine prints a page for each of its panics."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def show_failures(failed):
    """The first failure of each kind, with how many are like it."""
    kinds = collections.defaultdict(list)
    for line in failed:
        label = " ".join(line.split()[:3])
        kinds[label, re.sub(r"\d+", "", line.split(": ", 1)[1].replace(tempfile.gettempdir(), ""))[:120]].append(line)
    for lines in sorted(kinds.values(), key=len, reverse=True)[:80]:
        print(f"FAILED x{len(lines)}", lines[0])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--only", default="")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--print", action="store_true")
    p.add_argument("--progress", action="store_true")
    p.add_argument("--docs")
    p.add_argument("--check-docs")
    args = p.parse_args()
    start = time.time()
    cells, refused, failed, raw = collections.Counter(), collections.Counter(), [], set()
    # An executor, unlike a pool, notices a worker that died.
    with concurrent.futures.ProcessPoolExecutor(args.jobs, multiprocessing.get_context("spawn"), silence) as pool:
        runs = {pool.submit(run_job, job): job for job in jobs(args.only)}
        for done in concurrent.futures.as_completed(runs):
            try:
                c, r, f, x = done.result()
            except concurrent.futures.process.BrokenProcessPool:
                failed.append(f"{' '.join(runs[done])}: a process died")
                continue
            cells.update(c)
            refused.update(r)
            failed += f
            raw |= x
            if args.progress:
                print(*runs[done], f"{time.time() - start:.0f} s", flush=True)
    if args.print:
        for k in sorted(cells):
            print(*k[:4], "->", k[4], f"({cells[k]} files)")
    show_failures(failed)
    print(f"{len(cells)} cells, {sum(cells.values())} files, {sum(refused.values())} refused by the writer, {len(failed)} failed, "
          f"{time.time() - start:.0f} s")
    text = report(cells, refused, raw)
    if args.docs and not failed:
        with open(args.docs, "w", encoding="utf-8") as f:
            f.write(text)
    stale = False
    if args.check_docs and not failed:
        with open(args.check_docs, encoding="utf-8") as f:
            stale = f.read() != text
        if stale:
            print(f"{args.check_docs} is out of date: run with --docs")
    few = not args.only and len(cells) < MIN_CELLS
    if few:
        print(f"only {len(cells)} cells; {MIN_CELLS} are expected")
    return 1 if failed or few or stale else 0


if __name__ == "__main__":
    sys.exit(main())

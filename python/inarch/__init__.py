"""Inarch from Python: a thin binding over the C interface, by ctypes.

    import inarch
    inarch.create("my.graph", "node Person { name: String @key }")
    with inarch.open("my.graph") as g:
        g.load(b'{"type":"Person","data":{"name":"Ada"}}\\n', mode="append")
        print(g.query('query q() { match { $p: Person } return { $p.name } }')["rows"])

Query results come as parsed JSON; `Graph.arrow()` and `Table.scan()` hand Arrow data over through the PyCapsule
protocol (`__arrow_c_stream__`), so that pyarrow reads them without a copy.
"""
import array as _array
import ctypes as _c
import json as _json
import os as _os

__all__ = ["Error", "File", "Graph", "Table", "create", "create_table", "open", "open_file", "open_table", "version",
           "write_file"]


def _load():
    names = [_os.environ.get("INARCH_LIBRARY"), "libinarch.so.0", "libinarch.so"]
    last = None
    for name in filter(None, names):
        try:
            return _c.CDLL(name)
        except OSError as e:
            last = e
    raise ImportError(f"libinarch was not found: {last}; set INARCH_LIBRARY to its path")


_lib = _load()

_S, _P, _U64, _I64, _SZ = _c.c_char_p, _c.c_void_p, _c.c_uint64, _c.c_int64, _c.c_size_t
_READ = _c.CFUNCTYPE(_I64, _P, _SZ, _P)
_WRITE = _c.CFUNCTYPE(_c.c_int, _P, _SZ, _P)
_CHANGE = _c.CFUNCTYPE(_c.c_int, _P, _P)
_PROGRESS = _c.CFUNCTYPE(_c.c_int, _U64, _U64, _P)


def _struct(name, *fields):
    return type(name, (_c.Structure,), {"_fields_": list(fields)})


_Options = _struct("_Options", ("struct_size", _SZ), ("memory_limit", _U64), ("durability", _c.c_int),
                   ("progress", _PROGRESS), ("payload", _P), ("cancel", _P))
_WriteOptions = _struct("_WriteOptions", ("struct_size", _SZ), ("branch", _S), ("actor", _S), ("message", _S),
                        ("if_commit", _S))
_QueryOptions = _struct("_QueryOptions", ("struct_size", _SZ), ("name", _S), ("path", _S), ("params", _S), ("at", _S))
_MutateResult = _struct("_MutateResult", ("commit", _c.c_char * 27), ("query_name", _c.c_char * 64), ("nodes", _U64),
                        ("edges", _U64))
_LoadCount = _struct("_LoadCount", ("kind", _S), ("type", _S), ("rows", _U64))
_LoadResult = _struct("_LoadResult", ("commit", _c.c_char * 27), ("total", _U64), ("n", _SZ),
                      ("counts", _c.POINTER(_LoadCount)), ("owner", _P))
_BranchInfo = _struct("_BranchInfo", ("name", _S), ("head", _S), ("fork", _S), ("created_us", _I64))
_BranchList = _struct("_BranchList", ("n", _SZ), ("items", _c.POINTER(_BranchInfo)), ("owner", _P))
_CommitInfo = _struct("_CommitInfo", ("id", _S), ("kind", _S), ("branch", _S), ("sequence", _U64), ("parent", _S),
                      ("merged", _S), ("actor", _S), ("message", _S), ("time_us", _I64))
_CommitList = _struct("_CommitList", ("n", _SZ), ("items", _c.POINTER(_CommitInfo)), ("owner", _P))
_Change = _struct("_Change", ("kind", _S), ("type", _S), ("id", _S), ("op", _S), ("before", _S), ("after", _S))
_MergeOptions = _struct("_MergeOptions", ("struct_size", _SZ), ("adopt", _c.c_int), ("dry_run", _c.c_bool),
                        ("full_probe", _c.c_bool), ("actor", _S), ("message", _S), ("if_commit", _S))
_Conflict = _struct("_Conflict", *[(n, _S) for n in ("kind", "entity", "type", "id", "message", "base", "source",
                                                    "target")])
_Route = _struct("_Route", ("type_key", _S), ("route", _S), ("reason", _S),
                 *[(n, _U64) for n in ("fragments_adopted", "files_linked", "files_referenced", "files_copied",
                                       "rows_inserted", "rows_updated", "rows_deleted", "rows_masked", "rows_copied",
                                       "rows_compared")])
_MergeResult = _struct("_MergeResult", ("outcome", _S), ("commit", _S), ("base", _S), ("source", _S), ("target", _S),
                       ("n_routes", _SZ), ("routes", _c.POINTER(_Route)), ("n_conflicts", _SZ),
                       ("conflicts", _c.POINTER(_Conflict)),
                       *[(n, _U64) for n in ("rows_both_sides", "elapsed_us", "meta_read", "meta_written", "key_read",
                                             "key_written", "payload_read", "payload_written", "peak_memory")],
                       ("owner", _P))
_VerifyReport = _struct("_VerifyReport", *[(n, _U64) for n in ("commits", "tables", "fragments", "rows", "edges")],
                        ("n_problems", _SZ), ("problems", _c.POINTER(_S)), ("owner", _P))
_TableInfo = _struct("_TableInfo", ("kind", _S), ("type", _S), ("dir", _S), ("path", _S), ("lance_branch", _S),
                     ("lance_version", _U64), ("rows", _U64), ("drifted", _c.c_bool), ("foreign_version", _U64),
                     ("foreign_operation", _S), ("unrevealed", _c.c_bool))
_SnapshotInfo = _struct("_SnapshotInfo", ("branch", _S), ("commit", _S), ("schema_hash", _S), ("n_tables", _SZ),
                        ("tables", _c.POINTER(_TableInfo)), ("owner", _P))
_TableAt = _struct("_TableAt", ("struct_size", _SZ), ("branch", _S), ("version", _U64))
_ScanOptions = _struct("_ScanOptions", ("struct_size", _SZ), ("columns", _c.POINTER(_S)), ("n_columns", _SZ),
                       ("filter", _S), ("limit", _U64), ("batch_rows", _c.c_uint32))
_FileScan = _struct("_FileScan", ("struct_size", _SZ), ("columns", _c.POINTER(_S)), ("n_columns", _SZ), ("begin", _U64),
                    ("end", _U64), ("batch_rows", _c.c_uint32), ("threads", _c.c_uint32))
_FileDescribe = _struct("_FileDescribe", ("struct_size", _SZ), ("text", _c.c_bool), ("pages", _c.c_bool),
                        ("measure", _c.c_bool))
_FileWrite = _struct("_FileWrite", ("struct_size", _SZ), ("minor", _c.c_uint32), ("chunk_bytes", _c.c_uint32),
                     ("page_bytes", _U64), ("encoding", _S), ("compression", _S), ("compression_level", _c.c_int32),
                     ("threads", _c.c_uint32))
_FileWritten = _struct("_FileWritten", ("rows", _U64), ("bytes", _U64), ("columns", _c.c_uint32))
_ArrowStream = _struct("_ArrowStream", ("get_schema", _P), ("get_next", _P), ("get_last_error", _P),
                       ("release", _c.CFUNCTYPE(None, _P)), ("private_data", _P))
_ArrowSchema = _struct("_ArrowSchema", ("format", _S), ("name", _S), ("metadata", _P), ("flags", _I64),
                       ("n_children", _I64), ("children", _P), ("dictionary", _P),
                       ("release", _c.CFUNCTYPE(None, _P)), ("private_data", _P))


def _declare():
    out = _c.POINTER
    text = {"inarch_last_error": [], "inarch_version": [], "inarch_status_name": [_c.c_int],
            "inarch_result_commit": [_P]}
    void = {"inarch_graph_close": [_P], "inarch_free": [_P], "inarch_result_close": [_P], "inarch_table_close": [_P],
            "inarch_branch_list_dispose": [_P], "inarch_commit_list_dispose": [_P],
            "inarch_merge_result_dispose": [_P], "inarch_load_result_dispose": [_P],
            "inarch_verify_report_dispose": [_P], "inarch_snapshot_info_dispose": [_P],
            "inarch_graph_io_counts": [_P, _P], "inarch_file_close": [_P],
            "inarch_file_io": [_P, out(_U64), out(_U64)]}
    number = {"inarch_result_rows": [_P], "inarch_table_version": [_P], "inarch_file_rows": [_P]}
    status = {
        "inarch_graph_create": [_S, _S, _S, _S, _P],
        "inarch_graph_open": [_S, _P, out(_P)],
        "inarch_graph_set_options": [_P, _P],
        "inarch_graph_schema": [_P, _S, out(_P)],
        "inarch_snapshot_read": [_P, _S, _P],
        "inarch_graph_status": [_P, _S, _P],
        "inarch_verify": [_P, _S, _c.c_bool, _c.c_bool, _P],
        "inarch_export": [_P, _S, out(_S), _SZ, _WRITE, _P],
        "inarch_branch_create": [_P, _S, _S, _S],
        "inarch_branch_delete": [_P, _S, _S],
        "inarch_branch_list_read": [_P, _P],
        "inarch_commit_list_read": [_P, _S, _SZ, _P],
        "inarch_commit_read": [_P, _S, _P],
        "inarch_diff": [_P, _S, _S, _c.c_bool, _CHANGE, _P],
        "inarch_merge": [_P, _S, _S, _P, _P],
        "inarch_query": [_P, _S, _P, out(_P)],
        "inarch_result_stream": [_P, _P],
        "inarch_result_render": [_P, _S, _WRITE, _P],
        "inarch_mutate": [_P, _S, _P, _P, _P],
        "inarch_load": [_P, _c.c_int, _READ, _P, _U64, _S, _P, _P],
        "inarch_load_rows": [_P, _S, _S, _c.c_int, _P, _P, _P],
        "inarch_table_open": [_S, _P, _P, out(_P)],
        "inarch_table_create": [_S, _P, _P, out(_P)],
        "inarch_table_scan": [_P, _P, _P],
        "inarch_table_count": [_P, _S, out(_U64)],
        "inarch_table_take": [_P, out(_U64), _SZ, out(_S), _SZ, _P],
        "inarch_table_append": [_P, _P],
        "inarch_table_delete": [_P, _S, out(_U64)],
        "inarch_file_open": [_S, _P, out(_P)],
        "inarch_file_schema": [_P, _P],
        "inarch_file_scan": [_P, _P, _P],
        "inarch_file_take": [_P, out(_U64), _SZ, _P, _P],
        "inarch_file_read_blob": [_P, _U64, _U64, _P],
        "inarch_file_describe": [_P, _P, out(_P)],
        "inarch_file_verify": [_P, out(_U64)],
        "inarch_file_write": [_S, _P, _P, _P, _P],
    }
    for table, result in ((text, _S), (void, None), (number, _U64), (status, _c.c_int)):
        for name, args in table.items():
            fn = getattr(_lib, name)
            fn.argtypes, fn.restype = args, result
    _lib.inarch_file_minor.argtypes, _lib.inarch_file_minor.restype = [_P], _c.c_uint32


_declare()


class Error(Exception):
    """A failed call: `code` is the status name ("conflict"), the text says what, where and what to do."""

    def __init__(self, status):
        self.code = _lib.inarch_status_name(status).decode()
        super().__init__(_lib.inarch_last_error().decode("utf-8", "replace") or self.code)


def _check(status):
    if status:
        raise Error(status)


def _b(s):
    return s if s is None or isinstance(s, bytes) else str(s).encode()


def _t(s):
    return None if s is None else s.decode("utf-8", "replace")


def _options(memory, durability):
    return _Options(_c.sizeof(_Options), memory, {"full": 0, "relaxed": 1}[durability], _PROGRESS(), None, None)


def _write_options(branch, actor, message, if_commit):
    return _WriteOptions(_c.sizeof(_WriteOptions), _b(branch), _b(actor), _b(message), _b(if_commit))


def version():
    return _lib.inarch_version().decode()


def create(path, schema, *, schema_path="schema.pg", actor=None, memory=0, durability="full"):
    o = _options(memory, durability)
    _check(_lib.inarch_graph_create(_b(path), _b(schema), _b(schema_path), _b(actor), _c.byref(o)))


def open(path, *, memory=0, durability="full"):
    return Graph(path, memory, durability)


class _Sink:
    """Collects what the library writes."""

    def __init__(self):
        self.parts = []
        self.fn = _WRITE(self._write)

    def _write(self, data, n, _):
        self.parts.append(_c.string_at(data, n))
        return 0

    def bytes(self):
        return b"".join(self.parts)


_capsule_new = _c.pythonapi.PyCapsule_New
_capsule_new.restype, _capsule_new.argtypes = _c.py_object, [_P, _S, _P]
_capsule_get = _c.pythonapi.PyCapsule_GetPointer
_capsule_get.restype, _capsule_get.argtypes = _P, [_c.py_object, _S]


class ArrowStream:
    """A stream of record batches; pass it to pyarrow.table(), RecordBatchReader.from_stream() and the like."""

    def __init__(self):
        self.raw = _ArrowStream()

    def __arrow_c_stream__(self, requested_schema=None):
        # The consumer moves the struct out of the capsule; `self` must live until it did.
        self._capsule = _capsule_new(_c.addressof(self.raw), b"arrow_array_stream", None)
        return self._capsule

    def __del__(self):
        if self.raw.release:
            self.raw.release(_c.addressof(self.raw))


class Graph:
    def __init__(self, path, memory, durability):
        self._g = _P()
        o = _options(memory, durability)
        _check(_lib.inarch_graph_open(_b(path), _c.byref(o), _c.byref(self._g)))

    def close(self):
        if self._g:
            _lib.inarch_graph_close(self._g)
            self._g = _P()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    # -- data ---------------------------------------------------------------------------------
    def load(self, data, mode, *, branch=None, actor=None, message=None, if_commit=None, name="data"):
        """JSON lines (bytes) as one commit. mode: append, merge, overwrite."""
        at = [0]

        def read(dst, cap, _):
            n = min(cap, len(data) - at[0])
            _c.memmove(dst, data[at[0]:at[0] + n], n)
            at[0] += n
            return n

        w, r = _write_options(branch, actor, message, if_commit), _LoadResult()
        fn = _READ(read)
        _check(_lib.inarch_load(self._g, {"append": 0, "merge": 1, "overwrite": 2}[mode], fn, None, len(data),
                                _b(name), _c.byref(w), _c.byref(r)))
        out = {"commit": _t(r.commit) or None, "total": r.total,
               "counts": {f"{_t(r.counts[i].kind)}:{_t(r.counts[i].type)}": r.counts[i].rows for i in range(r.n)}}
        _lib.inarch_load_result_dispose(_c.byref(r))
        return out

    def load_rows(self, kind, type, rows, mode, *, branch=None, actor=None, message=None, if_commit=None):
        """rows: anything with __arrow_c_stream__; columns by name."""
        w, r = _write_options(branch, actor, message, if_commit), _LoadResult()
        capsule = rows.__arrow_c_stream__()
        _check(_lib.inarch_load_rows(self._g, _b(kind), _b(type), {"append": 0, "merge": 1, "overwrite": 2}[mode],
                                     _capsule_get(capsule, b"arrow_array_stream"), _c.byref(w), _c.byref(r)))
        out = {"commit": _t(r.commit) or None, "total": r.total}
        _lib.inarch_load_result_dispose(_c.byref(r))
        return out

    def io_counts(self):
        """Bytes read and written through this handle."""
        n = (_U64 * 6)()
        _lib.inarch_graph_io_counts(self._g, n)
        names = ("meta_read", "meta_written", "key_read", "key_written", "payload_read", "payload_written")
        out = dict(zip(names, n))
        out["read"], out["written"] = sum(n[0::2]), sum(n[1::2])
        return out

    def _run(self, text, name, params, at):
        q = _QueryOptions(_c.sizeof(_QueryOptions), _b(name), None,
                          _b(_json.dumps(params)) if params is not None else None, _b(at))
        r = _P()
        _check(_lib.inarch_query(self._g, _b(text), _c.byref(q), _c.byref(r)))
        return r

    def query(self, text, *, name=None, params=None, at=None):
        """The JSON envelope: columns, rows, row_count, graph_commit_id."""
        r, sink = self._run(text, name, params, at), _Sink()
        try:
            _check(_lib.inarch_result_render(r, b"json", sink.fn, None))
        finally:
            _lib.inarch_result_close(r)
        return _json.loads(sink.bytes())

    def arrow(self, text, *, name=None, params=None, at=None):
        r, s = self._run(text, name, params, at), ArrowStream()
        try:
            _check(_lib.inarch_result_stream(r, _c.byref(s.raw)))
        finally:
            _lib.inarch_result_close(r)
        return s

    def mutate(self, text, *, name=None, params=None, branch=None, actor=None, message=None, if_commit=None):
        q = _QueryOptions(_c.sizeof(_QueryOptions), _b(name), None,
                          _b(_json.dumps(params)) if params is not None else None, None)
        w, r = _write_options(branch, actor, message, if_commit), _MutateResult()
        _check(_lib.inarch_mutate(self._g, _b(text), _c.byref(q), _c.byref(w), _c.byref(r)))
        return {"commit": _t(r.commit) or None, "nodes": r.nodes, "edges": r.edges}

    def export(self, at=None, types=None):
        """JSON lines (bytes)."""
        sink = _Sink()
        names = (_S * len(types))(*[_b(t) for t in types]) if types else None
        _check(_lib.inarch_export(self._g, _b(at), names, len(types or ()), sink.fn, None))
        return sink.bytes()

    # -- branches, commits ----------------------------------------------------------------------
    def branch_create(self, name, at=None):
        _check(_lib.inarch_branch_create(self._g, _b(name), _b(at), None))

    def branch_delete(self, name, actor=None):
        _check(_lib.inarch_branch_delete(self._g, _b(name), _b(actor)))

    def branches(self):
        l = _BranchList()
        _check(_lib.inarch_branch_list_read(self._g, _c.byref(l)))
        out = {_t(l.items[i].name): {"head": _t(l.items[i].head), "fork": _t(l.items[i].fork)} for i in range(l.n)}
        _lib.inarch_branch_list_dispose(_c.byref(l))
        return out

    def _commits(self, l):
        names = [n for n, _ in _CommitInfo._fields_]
        out = [{n: (_t(v) if isinstance(v := getattr(l.items[i], n), bytes) else v) for n in names}
               for i in range(l.n)]
        _lib.inarch_commit_list_dispose(_c.byref(l))
        return out

    def commits(self, at=None, limit=0):
        l = _CommitList()
        _check(_lib.inarch_commit_list_read(self._g, _b(at), limit, _c.byref(l)))
        return self._commits(l)

    def commit(self, at=None):
        l = _CommitList()
        _check(_lib.inarch_commit_read(self._g, _b(at or "main"), _c.byref(l)))
        return self._commits(l)[0]

    def head(self, branch="main"):
        return self.commit(branch)["id"]

    def diff(self, a, b, images=True):
        out = []

        def change(p, _):
            c = _c.cast(p, _c.POINTER(_Change)).contents
            out.append({"kind": _t(c.kind), "type": _t(c.type), "id": _t(c.id), "op": _t(c.op),
                        "before": _json.loads(c.before) if c.before else None,
                        "after": _json.loads(c.after) if c.after else None})
            return 0

        _check(_lib.inarch_diff(self._g, _b(a), _b(b), images, _CHANGE(change), None))
        return out

    def merge(self, source, into="main", *, adopt="link", dry_run=False, full_probe=False, actor=None, message=None,
              if_commit=None):
        m = _MergeOptions(_c.sizeof(_MergeOptions), {"link": 0, "reference": 1, "copy": 2}[adopt], dry_run, full_probe,
                          _b(actor), _b(message), _b(if_commit))
        r = _MergeResult()
        _check(_lib.inarch_merge(self._g, _b(source), _b(into), _c.byref(m), _c.byref(r)))

        def rows(items, n, fields):
            return [{k: (_t(v) if isinstance(v := getattr(items[i], k), bytes) else v) for k, _ in fields}
                    for i in range(n)]

        out = {k: (_t(v) if isinstance(v := getattr(r, k), bytes) else v) for k, t in _MergeResult._fields_
               if t in (_S, _U64)}
        out["routes"] = rows(r.routes, r.n_routes, _Route._fields_)
        out["conflicts"] = rows(r.conflicts, r.n_conflicts, _Conflict._fields_)
        _lib.inarch_merge_result_dispose(_c.byref(r))
        return out

    def verify(self, branch=None, all_commits=False, strict=False):
        """Problems found, one line each."""
        r = _VerifyReport()
        _check(_lib.inarch_verify(self._g, _b(branch), all_commits, strict, _c.byref(r)))
        out = [_t(r.problems[i]) for i in range(r.n_problems)]
        _lib.inarch_verify_report_dispose(_c.byref(r))
        return out

    def snapshot(self, at=None):
        s = _SnapshotInfo()
        _check(_lib.inarch_snapshot_read(self._g, _b(at), _c.byref(s)))
        names = [n for n, _ in _TableInfo._fields_]
        out = {"commit": _t(s.commit),
               "tables": [{n: (_t(v) if isinstance(v := getattr(s.tables[i], n), bytes) else v) for n in names}
                          for i in range(s.n_tables)]}
        _lib.inarch_snapshot_info_dispose(_c.byref(s))
        return out


class Table:
    """One version of a Lance dataset."""

    def __init__(self, handle):
        self._h = handle

    def close(self):
        if self._h:
            _lib.inarch_table_close(self._h)
            self._h = _P()

    __del__ = close

    @property
    def version(self):
        return _lib.inarch_table_version(self._h)

    def scan(self, columns=None, filter=None, limit=0):
        names = (_S * len(columns))(*[_b(c) for c in columns]) if columns else None
        o = _ScanOptions(_c.sizeof(_ScanOptions), names, len(columns or ()), _b(filter), limit, 0)
        s = ArrowStream()
        _check(_lib.inarch_table_scan(self._h, _c.byref(o), _c.byref(s.raw)))
        return s

    def count(self, filter=None):
        n = _U64()
        _check(_lib.inarch_table_count(self._h, _b(filter), _c.byref(n)))
        return n.value

    def take(self, row_ids, columns=None):
        ids = (_U64 * len(row_ids))(*row_ids)
        names = (_S * len(columns))(*[_b(c) for c in columns]) if columns else None
        s = ArrowStream()
        _check(_lib.inarch_table_take(self._h, ids, len(row_ids), names, len(columns or ()), _c.byref(s.raw)))
        return s

    def append(self, rows):
        """rows: anything with __arrow_c_stream__ (a pyarrow.Table, a RecordBatchReader)."""
        capsule = rows.__arrow_c_stream__()
        _check(_lib.inarch_table_append(self._h, _capsule_get(capsule, b"arrow_array_stream")))

    def delete(self, filter):
        n = _U64()
        _check(_lib.inarch_table_delete(self._h, _b(filter), _c.byref(n)))
        return n.value


def open_table(path, *, branch=None, version=0, memory=0, durability="full"):
    h, o = _P(), _options(memory, durability)
    at = _TableAt(_c.sizeof(_TableAt), _b(branch), version)
    _check(_lib.inarch_table_open(_b(path), _c.byref(at), _c.byref(o), _c.byref(h)))
    return Table(h)


def create_table(path, schema, *, memory=0, durability="full"):
    """schema: anything with __arrow_c_schema__ (a pyarrow.Schema)."""
    h, o = _P(), _options(memory, durability)
    capsule = schema.__arrow_c_schema__()
    _check(_lib.inarch_table_create(_b(path), _capsule_get(capsule, b"arrow_schema"), _c.byref(o), _c.byref(h)))
    return Table(h)


class ArrowSchema:
    """A schema; pass it to pyarrow.schema()."""

    def __init__(self):
        self.raw = _ArrowSchema()

    def __arrow_c_schema__(self):
        # As with a stream: the consumer moves the struct out while `self` lives.
        self._capsule = _capsule_new(_c.addressof(self.raw), b"arrow_schema", None)
        return self._capsule

    def __del__(self):
        if self.raw.release:
            self.raw.release(_c.addressof(self.raw))


class File:
    """One open Lance data file."""

    def __init__(self, path, memory=0):
        self._h, o = _P(), _options(memory, "full")
        _check(_lib.inarch_file_open(_b(path), _c.byref(o), _c.byref(self._h)))

    def close(self):
        if self._h:
            _lib.inarch_file_close(self._h)
            self._h = _P()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    __del__ = close

    @property
    def rows(self):
        return _lib.inarch_file_rows(self._h)

    @property
    def version(self):
        """Of the file format: "2.1"."""
        return f"2.{_lib.inarch_file_minor(self._h)}"

    @property
    def schema(self):
        s = ArrowSchema()
        _check(_lib.inarch_file_schema(self._h, _c.byref(s.raw)))
        return s

    def _read(self, columns, begin=0, end=None, batch_rows=0, threads=1):
        if end is not None and end <= begin:
            raise ValueError("no rows: end must be above begin")
        names = (_S * len(columns))(*[_b(c) for c in columns]) if columns is not None else None
        return _FileScan(_c.sizeof(_FileScan), names, len(columns or ()), begin, end or 0, batch_rows, threads)

    def scan(self, columns=None, begin=0, end=None, batch_rows=0, threads=1):
        """Rows [begin, end). columns: names, "a.b" for a nested field."""
        o, s = self._read(columns, begin, end, batch_rows, threads), ArrowStream()
        _check(_lib.inarch_file_scan(self._h, _c.byref(o), _c.byref(s.raw)))
        return s

    def take(self, rows, columns=None, threads=1):
        """Rows by position, in any order."""
        o, s = self._read(columns, threads=threads), ArrowStream()
        ids = (_U64 * len(rows)).from_buffer(_array.array("Q", rows)) if len(rows) else None
        _check(_lib.inarch_file_take(self._h, ids, len(rows), _c.byref(o), _c.byref(s.raw)))
        return s

    def read_blob(self, position, size):
        """The bytes that a blob descriptor names."""
        data = _c.create_string_buffer(max(size, 1))
        _check(_lib.inarch_file_read_blob(self._h, position, size, data))
        return data.raw[:size]

    def describe(self, measure=False):
        """Container, schema, columns, pages, encodings. measure: also what each column takes in memory."""
        o, text = _FileDescribe(_c.sizeof(_FileDescribe), False, False, measure), _P()
        _check(_lib.inarch_file_describe(self._h, _c.byref(o), _c.byref(text)))
        try:
            return _json.loads(_c.string_at(text))
        finally:
            _lib.inarch_free(text)

    def verify(self):
        """Decodes everything; gives the number of rows."""
        n = _U64()
        _check(_lib.inarch_file_verify(self._h, _c.byref(n)))
        return n.value

    def io(self):
        """(requests, bytes) read so far, metadata included."""
        requests, size = _U64(), _U64()
        _lib.inarch_file_io(self._h, _c.byref(requests), _c.byref(size))
        return requests.value, size.value


def open_file(path, *, memory=0):
    return File(path, memory)


def write_file(path, data, *, version="2.1", page_bytes=0, chunk_bytes=0, encoding=None, compression=None,
               compression_level=0, threads=1, memory=0, durability="full"):
    """Writes a new Lance data file. data: anything with __arrow_c_stream__ (a pyarrow.Table)."""
    if version not in ("2.1", "2.2"):
        raise ValueError(f"version {version}: write \"2.1\" or \"2.2\"")
    w = _FileWrite(_c.sizeof(_FileWrite), int(version[2:]), chunk_bytes, page_bytes, _b(encoding), _b(compression),
                   compression_level, threads)
    o, out, capsule = _options(memory, durability), _FileWritten(), data.__arrow_c_stream__()
    _check(_lib.inarch_file_write(_b(path), _capsule_get(capsule, b"arrow_array_stream"), _c.byref(w), _c.byref(o),
                                  _c.byref(out)))
    return {"rows": out.rows, "bytes": out.bytes, "columns": out.columns}

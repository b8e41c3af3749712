# make_row_ids.py - writes the deletion files in tests/data/arrow/ with the reference engine.
# Usage: python make_row_ids.py OUT_DIR   (pylance 14, pyarrow 26)
# test_ipc.c knows the row ids expected in each.
import glob, shutil, sys, tempfile
import lance, pyarrow as pa

out = sys.argv[1]

def deletion_file(n, where, name):
    d = tempfile.mkdtemp()
    ds = lance.write_dataset(pa.table({"i": pa.array(range(n), pa.int64())}), d + "/t.lance")
    ds.delete(where)
    found = glob.glob(d + "/t.lance/_deletions/*.arrow")
    assert len(found) == 1, found
    shutil.copy(found[0], out + "/" + name)
    shutil.rmtree(d)

deletion_file(100, "i = 42", "lance_one.arrow")
deletion_file(1000, "i % 9 = 0", "lance_ninth.arrow")
deletion_file(20000, "i % 11 = 3 AND i < 9000", "lance_many.arrow")

def plain(name, codec, batches, compat=pa.ipc.MetadataVersion.V5, legacy=False):
    schema = pa.schema([pa.field("row_id", pa.uint32(), nullable=False)])
    opt = pa.ipc.IpcWriteOptions(compression=codec, metadata_version=compat, use_legacy_format=legacy)
    with pa.ipc.new_file(out + "/" + name, schema, options=opt) as w:
        for b in batches:
            w.write_batch(pa.record_batch([pa.array(b, pa.uint32())], schema=schema))

plain("plain.arrow", None, [[7, 3, 4294967295], [5]])
plain("lz4.arrow", "lz4", [list(range(0, 2000, 2))])
plain("legacy.arrow", None, [[1, 2, 3]], pa.ipc.MetadataVersion.V4, True)

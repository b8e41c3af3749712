#!/usr/bin/env python3
"""Makes the manifests of this folder with the real engine (pylance 14.0.2): make.py, in this folder."""
import glob
import os
import shutil
import tempfile

import lance
import pyarrow as pa

here = os.path.dirname(os.path.abspath(__file__))
place = tempfile.mkdtemp()
root = os.path.join(place, "t.lance")
table = pa.table({"id": pa.array(range(100), pa.int64()), "s": [f"s{i}" for i in range(100)],
                  "v": pa.array([[i, i] for i in range(100)], pa.list_(pa.float32(), 2)),
                  "l": pa.array([["x"]] * 100, pa.list_(pa.string()))})
ds = lance.write_dataset(table, root, enable_stable_row_ids=True, data_storage_version="2.1")
ds.create_scalar_index("id", "BTREE")
ds.update({"s": "'z'"}, where="id % 10 = 3")
ds.delete("id = 42")
branch = ds.create_branch("side")
branch.delete("id = 7")
shutil.copy(glob.glob(f"{root}/_versions/{2**64 - 1 - 4}.manifest")[0], os.path.join(here, "main-4.manifest"))
shutil.copy(glob.glob(f"{root}/tree/side/_versions/{2**64 - 1 - 5}.manifest")[0], os.path.join(here, "side-5.manifest"))
shutil.rmtree(place)

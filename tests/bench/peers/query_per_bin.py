"""query_per_bin.py DATABASE WIDTH_NS RESULT [--prepare]: bins of an Nsight Systems export as scripts usually compute them.
Means of the configurations by SQL, then one query per bin on an index of the start, with its rows as a data frame.
--prepare only makes the copy with this index, next to RESULT. RESULT as in numpy_bins.py."""
import os
import shutil
import sqlite3
import sys

import numpy as np
import pandas as pd

database, width, result = sys.argv[1], int(sys.argv[2]), sys.argv[3]
indexed = result + ".sqlite"
if not os.path.exists(indexed):
    shutil.copyfile(database, indexed)
    with sqlite3.connect(indexed) as made:
        made.execute("CREATE INDEX by_start ON CUPTI_ACTIVITY_KIND_KERNEL(start)")
if sys.argv[4:] == ["--prepare"]:
    sys.exit()
KEY = ["demangledName", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "registersPerThread", "staticSharedMemory",
       "dynamicSharedMemory"]
with sqlite3.connect(f"file:{indexed}?immutable=1", uri=True) as db:
    low, high = db.execute("SELECT min(start), max(start) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()
    sums = pd.read_sql_query(f"SELECT {', '.join(KEY)}, avg(end - start) AS usual, count(*) AS launches "
                             f"FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY {', '.join(KEY)}", db)
    usual = sums[sums["launches"] > 1].set_index(KEY)["usual"]
    found = []
    for number, start in enumerate(range(low, high + 1, width)):
        rows = pd.read_sql_query(f"SELECT end - start AS duration, {', '.join(KEY)} FROM CUPTI_ACTIVITY_KIND_KERNEL "
                                 "WHERE start >= ? AND start < ?", db, params=(start, start + width))
        if rows.empty:
            continue
        value = (rows["duration"] - rows.join(usual, on=KEY)["usual"]).abs().dropna()
        if value.empty:
            continue
        found.append([number, len(value), value.sum(), value.min(), value.max(), value.mean(), value.var(),
                      *value.quantile([0.25, 0.5, 0.75])])
np.array(found, dtype=np.float64).tofile(result)

"""numpy_reference.py FOLDER METRIC WIDTH_NS RESULT [ABOVE_NS]: bins computed one by one with NumPy's own functions, slow and
plain. ABOVE_NS: only launches that take longer; the mean durations of configurations are those of all launches.

FOLDER as written by jitterscope-bench-columns. RESULT: raw float64, one row per bin (harness.COLUMNS).
"""
import sys

import numpy as np

folder, metric, width, result = sys.argv[1:5]
above = int(sys.argv[5]) if len(sys.argv) > 5 else 0
start, duration, configuration = (np.load(f"{folder}/{name}.npy") for name in ("start", "duration", "configuration"))
count = np.bincount(configuration)
if metric == "duration":
    value = duration.astype(np.float64)
else:
    mean = np.bincount(configuration, weights=duration) / np.maximum(count, 1)
    value = np.abs(duration - mean[configuration])
    value[count[configuration] < 2] = np.nan

index = (start - start.min()) // int(width)
value[duration <= above] = np.nan
order = np.argsort(index, kind="stable")
index, value = index[order], value[order]
rows = []
for bin in np.unique(index):
    first, last = np.searchsorted(index, (bin, bin + 1))
    part = value[first:last]
    part = part[~np.isnan(part)]
    if part.size == 0:
        continue
    variance = part.var(ddof=1) if part.size > 1 else np.nan
    rows.append((bin, part.size, part.sum(), part.min(), part.max(), part.mean(), variance,
                 *np.percentile(part, (25, 50, 75))))
np.array(rows, dtype=np.float64).tofile(result)

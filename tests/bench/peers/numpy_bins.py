"""numpy_bins.py FOLDER METRIC WIDTH_NS RESULT: bins with NumPy, as an experienced user writes it.

RESULT: raw float64, one row per bin: index, n, sum, min, max, mean, variance, q1, median, q3.
"""
import sys

import numpy as np

folder, metric, width, result = sys.argv[1:5]
width = int(width)
start = np.load(folder + "/start.npy", mmap_mode="r")
duration = np.load(folder + "/duration.npy", mmap_mode="r")

if metric == "duration":
    value = duration.astype(np.float64)
    keep = None
else:
    configuration = np.load(folder + "/configuration.npy", mmap_mode="r")
    count = np.bincount(configuration)
    mean = np.bincount(configuration, weights=duration) / np.maximum(count, 1)
    value = np.abs(duration - mean[configuration])
    keep = count[configuration] > 1 if (count == 1).any() else None

start = np.asarray(start)
ascending = bool((start[1:] >= start[:-1]).all())
origin = start[0] if ascending else start.min()
if keep is not None:
    start, value = start[keep], value[keep]
if not ascending:
    order = np.argsort(start, kind="stable")
    start, value = start[order], value[order]

bins = int((start[-1] - origin) // width) + 1
borders = np.searchsorted(start, origin + np.arange(bins + 1, dtype=np.int64) * width)
index = np.flatnonzero(np.diff(borders))
first, last = borders[index], borders[index + 1]
n = last - first
total = np.add.reduceat(value, first)
average = total / n
deviation = value - np.repeat(average, n)
deviation *= deviation
with np.errstate(invalid="ignore", divide="ignore"):
    variance = np.where(n > 1, np.add.reduceat(deviation, first) / (n - 1), np.nan)

quartiles = np.empty((index.size, 3))
for row in range(index.size):
    part = value[first[row] : last[row]]
    position = (part.size - 1) * np.array((0.25, 0.5, 0.75))
    below = position.astype(np.int64)
    above = np.minimum(below + 1, part.size - 1)
    part = np.partition(part, np.unique(np.concatenate((below, above))))
    step = part[above] - part[below]
    fraction = position - below
    quartiles[row] = np.where(fraction >= 0.5, part[above] - step * (1 - fraction), part[below] + step * fraction)

table = np.column_stack((index, n, total, np.minimum.reduceat(value, first), np.maximum.reduceat(value, first),
                         average, variance, quartiles))
ranking = np.argsort(-total, kind="stable")[: max(20, -(-index.size // 100))]
assert ranking.size
table.tofile(result)

"""pandas_bins.py FOLDER METRIC WIDTH_NS RESULT: bins with pandas. RESULT as in numpy_bins.py."""
import sys

import numpy as np
import pandas as pd

folder, metric, width, result = sys.argv[1:5]
rows = pd.DataFrame({name: np.load(f"{folder}/{name}.npy") for name in ("start", "duration", "configuration")})
rows["bin"] = (rows["start"] - rows["start"].min()) // int(width)
if metric == "duration":
    rows["value"] = rows["duration"].astype(np.float64)
else:
    of_configuration = rows.groupby("configuration")["duration"].agg(["mean", "count"])
    rows["value"] = (rows["duration"] - rows["configuration"].map(of_configuration["mean"])).abs()
    rows.loc[rows["configuration"].map(of_configuration["count"]) < 2, "value"] = np.nan
    rows = rows.dropna(subset=["value"])

groups = rows.groupby("bin", sort=True)["value"]
table = groups.agg(["count", "sum", "min", "max", "mean", "var"])
quartiles = groups.quantile([0.25, 0.5, 0.75]).unstack()
table = pd.concat((table, quartiles), axis=1)
top = table["sum"].nlargest(max(20, -(-len(table) // 100)))
assert len(top)
table.reset_index().to_numpy(dtype=np.float64).tofile(result)

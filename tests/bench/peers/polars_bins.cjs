// polars_bins.cjs FOLDER METRIC WIDTH_NS RESULT.csv: bins with Polars (nodejs-polars) from rows.parquet.
const pl = require('nodejs-polars').default ?? require('nodejs-polars');

const [folder, metric, width, result] = process.argv.slice(2);
const rows = pl.readParquet(`${folder}/rows.parquet`);
const origin = rows.getColumn('start').min();
const duration = pl.col('duration').cast(pl.Float64);
let values = rows.lazy().select(
  pl.col('start').minus(pl.lit(origin)).div(pl.lit(Number(width))).floor().cast(pl.Int64).alias('index'),
  ...(metric === 'duration'
    ? [duration.alias('v')]
    : [duration.minus(duration.mean().over('configuration')).abs().alias('v'),
       pl.col('duration').count().over('configuration').alias('times')]));
if (metric !== 'duration') values = values.filter(pl.col('times').gt(1));
const v = pl.col('v');
values.groupBy('index').agg(
  v.count().alias('n'), v.sum().alias('sum'), v.min().alias('min'), v.max().alias('max'), v.mean().alias('mean'),
  v.var().alias('variance'), v.quantile(0.25, 'linear').alias('q1'), v.quantile(0.5, 'linear').alias('median'),
  v.quantile(0.75, 'linear').alias('q3')).sort('index').collectSync().writeCSV(result);

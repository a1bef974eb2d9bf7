// duckdb_bins.cjs FOLDER METRIC WIDTH_NS RESULT.csv: bins with DuckDB from rows.parquet.
const { DuckDBInstance } = require('@duckdb/node-api');

const [folder, metric, width, result] = process.argv.slice(2);
const rows = `read_parquet('${folder}/rows.parquet')`;
const values = metric === 'duration'
  ? `SELECT start, duration::DOUBLE AS v FROM ${rows}`
  : `SELECT r.start, abs(r.duration - c.mean) AS v FROM ${rows} r
     JOIN (SELECT configuration, avg(duration) AS mean FROM ${rows} GROUP BY configuration HAVING count(*) > 1) c
     USING (configuration)`;
const query = `
  COPY (SELECT index, n, sum, min, max, mean, variance, q[1] AS q1, q[2] AS median, q[3] AS q3 FROM (
          SELECT (start - (SELECT min(start) FROM ${rows})) // ${width} AS index, count(*) AS n, sum(v) AS sum,
                 min(v) AS min, max(v) AS max, avg(v) AS mean, var_samp(v) AS variance,
                 quantile_cont(v, [0.25, 0.5, 0.75]) AS q
          FROM (${values}) GROUP BY index ORDER BY index))
  TO '${result}' (HEADER)`;

(async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(query);
})();

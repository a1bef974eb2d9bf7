// clickhouse_bins.cjs FOLDER METRIC WIDTH_NS RESULT.csv: bins with ClickHouse (chdb) from rows.native.
const { writeFileSync } = require('fs');
const { query } = require('chdb');

const [folder, metric, width, result] = process.argv.slice(2);
const rows = `file('${folder}/rows.native', 'Native')`;
const values = metric === 'duration'
  ? `SELECT start, toFloat64(duration) AS v FROM ${rows}`
  : `SELECT start, abs(duration - mean) AS v FROM ${rows} AS r
     INNER JOIN (SELECT configuration, avg(duration) AS mean FROM ${rows} GROUP BY configuration HAVING count() > 1) AS c
     ON r.configuration = c.configuration`;
writeFileSync(result, query(`
  SELECT index, n, sum, min, max, mean, variance, q[1] AS q1, q[2] AS median, q[3] AS q3 FROM (
    SELECT intDiv(start - (SELECT min(start) FROM ${rows}), ${width}) AS index, count() AS n, sum(v) AS sum,
           min(v) AS min, max(v) AS max, avg(v) AS mean, varSamp(v) AS variance,
           quantilesExactInclusive(0.25, 0.5, 0.75)(v) AS q
    FROM (${values}) GROUP BY index ORDER BY index)`, 'CSVWithNames'));

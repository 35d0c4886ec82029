/**
 * The rows that a SELECT of DuckDB gives over a CSV, TSV, JSON, NDJSON or Parquet file.
 * The file is the table t, and may be a .gz or .zst. Of other text each line is a row, as column line.
 *
 * @param {string} sql - the statement, over the table t
 * @param {string} [table] - the file; the first attachment, if not given
 * @param {number} [limit=100] - how many rows at most
 * @example mustard-sandbox run sql.js --attach orders.csv --input 'sql="select region, sum(amount) total from t group by 1 order by 1"'
 */
const { sql, table = list_files('attachments:')[0], limit = 100 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('sql', sql, typeof sql === 'string' && sql !== '', 'one SELECT over the table t');
check('table', table, typeof table === 'string', 'the path of a text file, or one must be attached');
check('limit', limit, Number.isInteger(limit) && limit > 0, 'a whole number from 1');

const { rows, truncated } = query(sql, { t: table }, { limit });
({ rows, truncated });

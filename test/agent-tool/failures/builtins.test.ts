import { expect, test } from 'vitest';
import { explain, folderWith } from './support.ts';

const root = folderWith({
  'a.csv': 'a,b\n1,x\n2,y\n',
  'a.json': '{"items":[{"id":1},{"id":2}]}',
  'a.ndjson': '{"a":1}\n{"a":2}\n',
  'many.json': `{"items":[${'{"id":1},'.repeat(160_000)}{"id":1}]}`,
  'long.json': `{"text":"${'x'.repeat(11 * 2 ** 20)}"}`,
});

test.each<[script: string, ...says: RegExp[]]>([
  [`query('select x from t', { t: 'a.csv' })`, /column "x" not found/, /query\('describe t', \{ t: path \}\)/],
  [`query('select * from a.csv')`, /query\('select \* from t', \{ t: 'a\.csv' \}\)/],
  [`query("select * from 'a.csv'")`, /query\('select \* from t', \{ t: 'a\.csv' \}\)/],
  [`query('select * from t', 'a.csv')`, /declare function query\(sql: string, tables/],
  [`query('select 1 from t', { t: 'a.csv', format: 'csv' })`, /\{ t: \{ path, format: 'csv' \} \}/],
  [`query('delete from t', { t: 'a.csv' })`, /only a SELECT/, /declare function query/],
  [`query('select a from t', { t: 'a.csv' }).map((row) => row.a)`, /take its \.rows/],
  [`lines('a.csv').sort()`, /for \(const line of lines\(path\)\)/],
  [`read_json('a.json').items.length`, /\{ pointer: '\/items' \}/],
  [`read_json('a.json', '/items')`, /declare function read_json/],
  [`read_json('a.json', { pointer: '$.items[0:2]' })`, /\{ pointer: '\/items', offset: 10, limit: 5 \}/],
  [`read_json('a.json', { pointer: '/item' })`, /there is: "items"/, /read_json\("a\.json"\)/],
  [`read_json('a.ndjson')`, /NDJSON, one value a line: query/],
  [`read_json('a.csv')`, /unexpected "a" at byte 0/, /read_file\(path, \{ length: 200 \}\)/],
  [`read_json('many.json', { pointer: '/items' })`, /objects and lists, and a script can take/, /offset, limit/],
  [`read_json('long.json', { pointer: '/text' })`, /more than 10485760 bytes of JSON/, /offset, limit/],
  [`search('a.csv', 'x', { by: 1 })`, /the pattern has no groups/, /declare function search/],
])('%s is told what to write', async (script, ...says) => {
  const { text } = await explain(script, { scope: { root }, limits: { timeoutMs: 10_000 } });
  for (const part of says) expect(text).toMatch(part);
  expect(text).not.toMatch(/go on without it|spellings/);
});

// What a script may try to read, write, hold or stop by SQL. The sidecar is the real one, in a jail where there is one.
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createSandbox, SandboxError } from '../../packages/sandbox-client/src/index.ts';
import { Database, loadDuckDB } from '../../packages/sandbox-daemon/src/files/query/duckdb.ts';
import { allowedFunctions } from '../../packages/sandbox-daemon/src/files/query/functions.ts';
import { refusalOf } from '../../packages/sandbox-daemon/src/files/query/statement.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-query-')));
writeFileSync(join(folder, 'a.csv'), 'a,b\n1,x\n2,y\n');
writeFileSync(join(folder, 'other.csv'), 'secret\n42\n');
const sandbox = createSandbox({ roots: [folder], spares: 0, maxProcesses: 1 });
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

/** What a script gets for each statement: its rows as JSON, or the message of its error. */
async function tried(statements: readonly string[]): Promise<string[]> {
  const { value } = await sandbox.run({
    script: `statements.map((sql) => {
      try { return JSON.stringify(query(sql, { t: 'a.csv' }).rows) } catch (error) { return error.code + ' ' + error.message }
    })`,
    inputs: { statements: [...statements] },
    scope: { root: folder },
    limits: { timeoutMs: 10_000 },
  });
  return value as string[];
}

const other = join(folder, 'other.csv');
const written = join(folder, 'written');

const attacks = [
  `select * from read_csv('${other}')`,
  `select * from '${other}'`,
  `from "${other}"`,
  "select * from read_text('/etc/passwd')",
  "select * from read_blob('/proc/self/environ')",
  "select * from glob('/*')",
  "select * from read_csv('/proc/self/fd/0')",
  "select * from read_csv('/proc/self/cwd/package.json')",
  "select * from sniff_csv('/etc/passwd')",
  "select * from parquet_metadata('/etc/passwd')",
  "select * from read_json('https://example.com/a.json')",
  `select * from query('from read_csv(''${other}'')')`,
  `select * from query_table('${other}')`,
  `from json_execute_serialized_sql(json_serialize_sql('from read_text(''${other}'')'))`,
  `with x as (from read_text('${other}')) select * from x`,
  `select (select content from read_text('${other}'))`,
  `select * from t where a in (select length(content) from read_text('${other}'))`,
  `select * from t order by (select content from read_text('${other}'))`,
  `select * from t limit (select length(content) from read_text('${other}'))`,
  `from t, lateral (from read_text('${other}'))`,
  `describe from read_csv('${other}')`,
  `summarize from read_csv('${other}')`,
  `from (values (1)) v(i) join read_text('${other}') r on true`,
  `pivot (from read_csv('${other}')) on secret in (42) using count(*)`,
  `attach '${written}' as x`,
  `copy (select 1) to '${written}'`,
  `export database '${written}'`,
  `select 1; copy (select 1) to '${written}'`,
  'install httpfs',
  'load httpfs',
  "set memory_limit = '8GB'",
  'reset memory_limit',
  'set threads = 64',
  `pragma import_database('${folder}')`,
  "pragma enable_profiling = 'json'",
  `call enable_logging(storage = 'file', storage_path = '${written}')`,
  `from enable_logging(storage := 'file', storage_path := '${written}')`,
  `from enable_profiling(save_location := '${written}')`,
  'create table x as select 1',
  'create secret (type s3)',
  'insert into t values (1, 2)',
  'explain analyze select 1',
  'prepare p as select 1',
  'execute p',
  'checkpoint',
  'from force_checkpoint()',
  'vacuum',
  "select current_setting('allowed_paths')",
  "select main.current_setting('allowed_paths')",
  "select json_serialize_plan('select current_setting(''allowed_paths'')', optimize := true)",
  "select system.main.json_serialize_plan('select current_setting(''allowed_paths'')', optimize := true)",
  "select a.json_serialize_plan(optimize := true) from (select 'select current_setting(''allowed_paths'')' a)",
  "select list_transform(['select current_setting(''allowed_paths'')'], lambda x: json_serialize_plan(x))",
  "select sum(a) filter (where json_serialize_plan('select 1') is not null) over () from t",
  "select json_deserialize_sql(json_serialize_sql('select 1'))",
  'select pg_conf_load_time()',
  'select sleep_ms(1)',
  'from duckdb_settings()',
  'from duckdb_views()',
  'from pg_settings',
  'from pg_catalog.pg_settings',
  'from main.t',
  'from information_schema.tables',
  'with pg_settings as (select 1) select * from pg_settings',
  'from system.main.duckdb_databases',
  'from duckdb_secrets()',
  "select getenv('HOME')",
  "select write_log('x')",
  "from sql_auto_complete('select * from \"/etc/')",
  '',
  '-- nothing',
  ';',
  '\0select 1',
];

test('nothing but the named tables can be read, and nothing can be done', async () => {
  const results = await tried(attacks);
  for (const [at, result] of results.entries()) {
    expect(result, attacks[at]).toMatch(/^(?:capability_denied|undefined|script_error|invalid_request) /);
    // The error repeats what the script itself wrote; nothing else of the host may be in it.
    expect(result.replaceAll(attacks[at] as string, ''), attacks[at]).not.toMatch(/root:|\/root|duckdb\/|42\b/);
  }
  expect(existsSync(written)).toBe(false);
  expect(readdirSync(folder)).toEqual(['a.csv', 'other.csv']);
});

test('what reads only its tables is let through', async () => {
  const allowed = [
    'from t',
    'select T.a from t as T where b in (select b from t)',
    'with x as (from t), y as (from x) select * from y',
    'with recursive r(n) as (select 1 union all select n + 1 from r where n < 3) select * from r',
    'describe t',
    'summarize t',
    'show tables',
    "pivot t on b in ('x', 'y') using sum(a)",
    'unpivot t on a',
    'select unnest([1, 2])',
    'from range(3)',
    "from json_each('[1, 2]')",
    'select 1;',
    'values (1)',
    'select sum(a) over (order by b) from t qualify true',
    'from t as one positional join t as two',
  ];
  for (const [at, result] of (await tried(allowed)).entries()) expect(result, allowed[at]).toMatch(/^\[\{/);
});

test('each view and each table function of this DuckDB is refused, but for a few', async () => {
  const duckdb = await loadDuckDB();
  using database = await Database.open(duckdb);
  const { connection } = database;
  const namesOf = async (sql: string): Promise<string[]> =>
    (await connection.runAndReadAll(sql)).getRows().map(([name]) => String(name));
  const views = await namesOf(
    "select view_name from duckdb_views() where internal and schema_name <> 'information_schema'",
  );
  const functions = await namesOf(
    "select distinct function_name from duckdb_functions() where function_type = 'table'",
  );
  expect(Math.min(views.length, functions.length)).toBeGreaterThan(20);
  for (const view of views) {
    const sql = `with "${view}" as (select 1) select * from "${view}"`;
    expect(await refusalOf(sql, ['t'], connection), view).toBeDefined();
  }
  const through = [];
  for (const name of functions) {
    if ((await refusalOf(`from ${name}('x')`, ['t'], connection)) === undefined) through.push(name);
  }
  expect(through.toSorted()).toEqual([
    'generate_series',
    'json_each',
    'json_tree',
    'range',
    'repeat',
    'repeat_row',
    'unnest',
  ]);
});

test('each other function of this DuckDB is on the list or refused, and what is on the list is there', async () => {
  const duckdb = await loadDuckDB();
  using database = await Database.open(duckdb);
  const { connection } = database;
  const sql =
    "select distinct lower(function_name) from duckdb_functions() where function_type not in ('table', 'pragma')";
  const names = (await connection.runAndReadAll(sql)).getRows().map(([name]) => String(name));
  const refused = names.filter((name) => !allowedFunctions.has(name));
  expect(refused.length).toBeGreaterThan(150);
  for (const name of refused.filter((name) => /^\w+$/.test(name) && name !== 'user')) {
    expect(await refusalOf(`select "${name}"('x')`, ['t'], connection), name).toBeDefined();
  }
  // What shows settings, parses or plans SQL, waits or keeps a state.
  const risky =
    /setting|variable|serialize|plan|sleep|conf|addr|port|priv|query|seed|nextval|currval|log_message|^pg_|^has_/;
  expect([...allowedFunctions].filter((name) => risky.test(name))).toEqual([]);
  // Those that only the parser knows.
  const missing = [...allowedFunctions].filter((name) => !names.includes(name));
  expect(missing.toSorted()).toEqual(['->', 'unnest']);
});

test('a function that is not there is a mistake, with the name of one that is', async () => {
  const [result] = await tried(['select uper(b) from t']);
  expect(result).toContain('there is no function uper(). Did you mean upper()?');
});

/** How a run ends that asks for too much; the sandbox must serve the next one. */
async function endOf(sql: string, timeoutMs: number): Promise<SandboxError> {
  const script = `query(${JSON.stringify(sql)}, { t: 'a.csv' })`;
  const run = sandbox.run({ script, scope: { root: folder }, limits: { timeoutMs } });
  const error = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(
    (
      await sandbox.run({
        script: "query('from t', { t: 'a.csv' }).rows.length",
        scope: { root: folder },
        limits: { timeoutMs: 10_000 },
      })
    ).value,
  ).toBe(2);
  if (error instanceof SandboxError) return error;
  throw new Error(`Not a SandboxError: ${String(error)}`);
}

test.each([
  ['a join without an end', 'select count(*) from range(1000000) a(x), range(1000000) b(y) where hash(x, y) = 1'],
  [
    'a recursion without an end',
    'with recursive r(n) as (select 1 union all select n + 1 from r) select max(n) from r',
  ],
  ['one call that cannot be interrupted', "select levenshtein(repeat('a', 300000), repeat('b', 300000))"],
])('%s ends at the deadline', async (_name, sql) => {
  expect(await endOf(sql, 250)).toMatchObject({ code: 'timeout' });
});

test.each([
  ['a list of everything', 'select list(x) from range(200000000) r(x)'],
  ['a sort of everything', 'select hash(x) from range(100000000) r(x) order by 1'],
  ['a string of 2 GB', "select length(repeat('x', 2000000000))"],
  ['a result that is too long', "select repeat('x', 20000000) x"],
])('%s is over a limit', async (_name, sql) => {
  const { code, details } = await endOf(sql, 10_000);
  // On a machine without limits on memory DuckDB's own may be passed before it looks; then the process pays.
  expect([code, details.reason ?? details.limit]).toEqual([
    expect.stringMatching(/^(?:limit_exceeded|sidecar_crashed)$/),
    expect.stringMatching(/^(?:query_bytes|argument_bytes|out_of_memory)$/),
  ]);
});

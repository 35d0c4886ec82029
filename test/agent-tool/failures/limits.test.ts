import { statSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { explainFailure } from '@mustard-sandbox/agent-tool';
import { limitTable, readLimitTable, type SandboxError } from '@mustard-sandbox/client';
import { expect, it, test } from 'vitest';
import { maxAnswerLength } from '../../../packages/agent-tool/src/failures/explain.ts';
import { bigFile, exampleIn, explain, folder, folderWith, inEngine, inJavaScript, sandbox, scope } from './support.ts';

interface Row {
  limit: string;
  script: string;
  says: RegExp[];
  options?: object;
  /** What the script would give without limits, where it is not run in JavaScript. */
  expected?: unknown;
}

const size = statSync(bigFile).size;
const count = 'attachments:server.log';

const rows: Row[] = [
  {
    limit: 'heap_bytes',
    script: `const texts = [];\nfor (let i = 0; i < 2000; i++) texts.push('x'.repeat(100000));\ntexts.length`,
    says: [/need more than the limit of 64 MB of memory/, /Keep counts and slices/],
    options: { limits: { timeoutMs: 10_000 } },
    expected: 90_000,
  },
  {
    limit: 'allocations',
    script: `const rows = [];\nfor (let i = 0; i < 5000; i++) rows.push({ i });\nrows.length`,
    says: [/limit of 1,000 allocations/, /instead of keeping an object/],
    options: { limits: { allocations: 1000 }, engine: 'mustardscript' },
    expected: 90_000,
  },
  {
    limit: 'call_depth',
    script: `const tree = { size: 1, children: [{ size: 2, children: [] }, { size: 3, children: [] }] };
const total = (node, depth = 0) => (depth > 1000 ? 0 : total(node, depth + 1)) && node;
total(tree)`,
    says: [/deeper than the limit of 256 nested calls/, /list of what is still to do/, /line 2/],
    options: { engine: 'mustardscript' },
    expected: 6,
  },
  {
    limit: 'outstanding_host_calls',
    script: `await Promise.all([...Array(200).keys()].map(() => send()))`,
    says: [/limit of 128 calls/, /a hundred at a time/],
    options: { hostFunctions: { send: () => 1 } },
    expected: 250,
  },
  {
    limit: 'host_calls',
    script: 'for (let i = 0; i < 5; i++) send(i);\n5',
    says: [/more often than the limit of 3 calls/, /more at a time/],
    options: { hostFunctions: { send: () => 1 }, limits: { hostCalls: 3 } },
    expected: 2,
  },
  {
    limit: 'value_items',
    script: 'data',
    says: [/more fields, lists and objects than the limit of 300,000 items/, /Return counts/],
    options: { inputs: { data: Array.from({ length: 300_000 }, () => []) }, limits: { timeoutMs: 10_000 } },
    expected: '1 a\n2 b',
  },
  {
    limit: 'output_bytes',
    script: `'e1;'.repeat(4000000)`,
    says: [/11 MB of JSON, over the limit of 10 MB/, /Return a count/],
    expected: { total: 4, first: ['e1', 'e2'], counts: { e1: 2, e2: 1, e3: 1 } },
  },
  {
    limit: 'read_bytes',
    script: `const text = read_file('${count}');\n(text.match(/ERROR/g) ?? []).length`,
    says: [/may read 1 MB, and this one asked for 1\.5 MB of "attachments:server\.log"/, /in ranges/, /line 1/],
  },
  {
    limit: 'total_read_bytes',
    script: `let n = 0;\nfor (let i = 0; i < 300; i++) n += read_file('server.log', { length: 1000 }).length;\nn`,
    says: [/together may read 4\.9 KB/, /samples/],
    options: { scope: { ...scope, maxTotalReadBytes: 5000 } },
    expected: ['ERROR bad', 'INFO ok', 'ERROR bad', 'INFO ok'],
  },
  {
    limit: 'script_bytes',
    script: `const data = '${'x'.repeat(40_000)}';\ndata.length`,
    says: [/39 KB long, over the limit of 32 KB/, /no data into the script/],
    expected: [[count, size]],
  },
];

it.each(rows)('$limit', async ({ limit, script, says, options, expected }) => {
  const { error, text } = await explain(script, options);
  expect({ code: error.code, limit: error.details.limit }).toEqual({ code: 'limit_exceeded', limit });
  for (const part of says) expect(text).toMatch(part);
  expect(text).not.toMatch(/limits\.|raise /);
  expect(text).not.toContain(folder);
  expect(text.length).toBeLessThan(maxAnswerLength);
  const value = await inEngine(exampleIn(text));
  if (limit === 'total_read_bytes') expect(value).toHaveLength(4);
  else expect(value).toEqual(expected ?? (await inJavaScript(script)));
});

test('what is over a limit by one byte looks different from the limit', async () => {
  const { text } = await explain(`read_file('${count}', { length: 1024 * 1024 + 1 }).length`);
  expect(text).toContain('may read 1,048,576 bytes, and this one asked for 1,048,577 bytes');
});

test('input_bytes is not for the script to mend', async () => {
  const { text } = await explain('data.length', { inputs: { data: 'x'.repeat(11 * 1024 * 1024) } });
  expect(text).toMatch(
    /^limit_exceeded: The inputs that the application passes to the script are 11 MB, over the limit of 10 MB/,
  );
  expect(text).toContain('tell the user');
});

test('too much for a function of the application', async () => {
  const script = 'send("é".repeat(6 * 1024 * 1024))';
  const { error, text } = await explain(script, { hostFunctions: { send: () => 1 }, limits: { timeoutMs: 10_000 } });
  expect(error.details).toMatchObject({ limit: 'argument_bytes', unit: 'bytes' });
  expect(text).toMatch(/The arguments of one call of a function are 12 MB, over the limit of 10 MB/);
});

test('too much from a function of the application', async () => {
  const hostFunctions = { fetch_rows: () => 'x'.repeat(11 * 1024 * 1024) };
  const { error, text } = await explain('fetch_rows()', { hostFunctions });
  expect(error.code).toBe('limit_exceeded');
  expect(text).toContain('fetch_rows() gave or got too much');
});

test('snapshot_bytes, of a run in segments', async () => {
  const script = 'const text = String(Math.random()).repeat(1000); await send(1); text.length';
  const options = { script, hostFunctions: ['send'], limits: { snapshotBytes: 1000 }, engine: 'quickjs' } as const;
  const error: unknown = await sandbox.runSegment(options).catch((thrown: unknown) => thrown);
  const text = explainFailure(error as SandboxError, { script });
  expect(text).toMatch(
    /^limit_exceeded: What the script holds while it waits for a call is \d+ KB, over the limit of 1,?000/,
  );
  expect(text).toContain('keep counts, slices and paths');
});

test('every limit that a run can meet has an answer of its own', () => {
  const names = [...Object.values(limitTable), ...Object.values(readLimitTable)].map(({ name }) => name as string);
  const tested = [...rows.map(({ limit }) => limit), 'timeout_ms', 'instructions', 'snapshot_bytes'];
  expect(names.filter((name) => !tested.includes(name))).toEqual([]);
});

test.each([
  ['was read', `const path = 'big.log.gz';\nfor (;;) for (const line of lines(path)) if (line === 'none') break;`],
  ['is named', `for (;;);\nlines('big.log.gz')`],
])(
  'a script that takes too long over a compressed file that %s gets advice that works on one',
  async (_what, script) => {
    const root = folderWith({ 'big.log.gz': gzipSync('INFO ok\nERROR bad\n'.repeat(50_000)) });
    const { text } = await explain(script, { limits: { timeoutMs: 500 }, scope: { root } });
    expect(text).toMatch(/"big\.log\.gz" is compressed, and no call can begin in its middle/);
    expect(text).not.toMatch(/parts|read_file|range/);
    const { value } = await sandbox.run({ script: exampleIn(text), scope: { root } });
    expect(value).toBe(50_000);
  },
);

test('a killed run is told to have been in one operation', async () => {
  const script = `const list = [];\nlist.length = 4_000_000_000;\nlist.join('').length`;
  // Long enough to come to that operation on a busy machine.
  const { error, text } = await explain(script, { limits: { timeoutMs: 1_000 } });
  expect(error).toMatchObject({ code: 'timeout', details: { killed: true } });
  expect(text).toMatch(
    /^timeout: The script ran into the time limit of 1 s and was stopped\. It was inside one long operation/,
  );
  await inEngine(exampleIn(text));
  expect(sandbox.stats().quarantinedScripts).toBe(0);
});

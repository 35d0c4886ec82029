import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limitTable, type RunOptions } from '@mustard-sandbox/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runExample } from './support.ts';

const MiB = 1024 * 1024;
interface Makers {
  makeLog: (path: string) => Promise<void>;
  makeRecords: (path: string, options?: { megabytes: number }) => void;
}
const load = (name: string): Promise<unknown> => import(new URL(`../../scripts/${name}`, import.meta.url).href);
const { makeLog, makeRecords } = {
  ...((await load('make-log.mjs')) as Makers),
  ...((await load('make-records.mjs')) as Makers),
};

const folder = mkdtempSync(join(tmpdir(), 'mustard-big-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Runs a recipe over 80 MB with the usual limits on instructions, memory and reading, and as much time as it takes: how
 * long that is depends on the machine, the others do not.
 */
async function run(
  name: string,
  files: Record<string, string>,
  inputs: RunOptions['inputs'] = {},
  limits: RunOptions['limits'] = {},
): Promise<unknown> {
  const attachments = Object.entries(files).map(([name, path]) => ({ name, path }));
  return (await runExample(name, { scope: { attachments }, inputs, limits })).value;
}

const linesOf = (path: string): string[] => readFileSync(path, 'utf8').trimEnd().split('\n');

function countBy<T>(items: T[], keyOf: (item: T) => string | undefined): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

describe('a log of 80 MB', () => {
  const log = join(folder, 'server.log');
  const files = { log };
  let lines: string[];
  beforeAll(async () => {
    await makeLog(log);
    lines = linesOf(log);
  });
  afterAll(() => (lines = []));
  const durationOf = (line: string): number => Number(/ dur=(\d+)ms$/.exec(line)?.[1]);

  test('top-errors.js', async () => {
    const counts = countBy(lines, (line) => (line.split(' ')[1] === 'ERROR' ? line.split(' ')[2] : undefined));
    const expected = [...counts].map(([code, count]) => ({ code, count })).toSorted((a, b) => b.count - a.count);
    expect(await run('top-errors.js', files)).toEqual(expected.slice(0, 5));
  });

  test('slow-requests.js', async () => {
    const durations = lines.map(durationOf).sort((a, b) => a - b);
    const percentile = (share: number): number => durations[Math.ceil(share * durations.length) - 1] as number;
    const [p50, p95, p99] = [percentile(0.5), percentile(0.95), percentile(0.99)];
    const [count, max] = [durations.length, durations.at(-1)];
    expect(await run('slow-requests.js', files)).toEqual({ requests: count, p50, p95, p99, max });
  });

  test('timeline.js', async () => {
    const counts = countBy(lines, (line) => (line.includes(' ERROR ') ? line.slice(0, 16) : undefined));
    const timeline = [...counts].map(([time, lines]) => ({ time, lines })).sort((a, b) => (a.time < b.time ? -1 : 1));
    expect(await run('timeline.js', files, { containing: ' ERROR ' })).toMatchObject({ unit: 'minute', timeline });
  });

  test('kwic.js', async () => {
    const count = lines.filter((line) => line.includes(' E3003 ')).length;
    const found = (await run('kwic.js', files, { word: 'e3003', limit: 3 })) as { places: { line: number }[] };
    expect(found).toMatchObject({ count, places: { length: 3 } });
    for (const { line } of found.places) expect(lines[line - 1]).toContain('E3003');
  });

  test('sample.js and tail.js', async () => {
    const found = (await run('sample.js', files)) as { lines: number; sample: { line: number; text: string }[] };
    expect(found.lines).toBe(lines.length);
    expect(found.sample.map(({ text }) => text)).toEqual(found.sample.map(({ line }) => lines[line - 1]));
    expect(await run('tail.js', files)).toBe(lines.slice(-10).join('\n'));
  });

  test('duplicates.js', async () => {
    const counts = countBy(lines, (line) => /path=\S+/.exec(line)?.[0]);
    const found = await run('duplicates.js', files, { pattern: 'path=\\S+' });
    expect(found).toMatchObject({ compared: lines.length, different: counts.size });
    const most = Math.max(...counts.values());
    expect(found).toMatchObject({ top: { 0: { count: most } } });
  });

  test('stack-traces.js and secrets-scan.js, where there are none', async () => {
    expect(await run('stack-traces.js', files)).toEqual({ traces: 0, different: 0, top: [] });
    expect(await run('secrets-scan.js', files)).toMatchObject({ files: 1, findings: 0 });
  });
});

/** These take every row apart, which is slow: a quarter of the file, with a quarter of the instructions. */
describe('CSV of 20 MB', () => {
  const limits = { instructions: limitTable.instructions.default / 4 };
  const csv = join(folder, 'rows.csv');
  let lines: string[];
  let rows: string[][];
  beforeAll(() => {
    makeRecords(csv, { megabytes: 20 });
    lines = linesOf(csv);
    // Quotes are in the last field only, and these tests are about others.
    rows = lines.slice(1).map((line) => line.split(',', 6));
  });
  afterAll(() => (rows = []));
  const centsOf = (row: string[]): number => Math.round(Number(row[5]) * 100);

  test('csv-group-by.js', async () => {
    const groups = new Map<string, { rows: number; cents: number }>();
    for (const row of rows) {
      const group = groups.get(row[3] as string) ?? { rows: 0, cents: 0 };
      groups.set(row[3] as string, { rows: group.rows + 1, cents: group.cents + centsOf(row) });
    }
    const expected = [...groups].map(([group, { rows, cents }]) => ({ group, rows, sum: cents / 100 }));
    const found = (await run('csv-group-by.js', { csv }, { by: 'region', sum: 'amount' }, limits)) as {
      top: typeof expected;
    };
    expect(found).toMatchObject({ rows: rows.length, groups: 5, notNumbers: 0 });
    expect(roundedSums(found.top)).toEqual(roundedSums(expected.toSorted((a, b) => b.sum - a.sum)));
  });

  test('csv-join.js', async () => {
    const customers = Array.from({ length: 1900 }, (_, index) => ({
      id: `C${1000 + index}`,
      plan: `plan ${index % 3}`,
    }));
    const lookup = join(folder, 'customers.csv');
    writeFileSync(lookup, ['customer,plan', ...customers.map(({ id, plan }) => `${id},${plan}`)].join('\n'));
    const planOf = new Map(customers.map(({ id, plan }) => [id, plan]));
    const counts = countBy(rows, (row) => planOf.get(row[2] as string));
    const files = { 'orders.csv': csv, 'customers.csv': lookup };
    const found = await run('csv-join.js', files, { on: 'customer', by: 'plan' }, limits);
    const matched = [...counts.values()].reduce((a, b) => a + b);
    const groups = [...counts].map(([group, rows]) => ({ group, rows })).toSorted((a, b) => b.rows - a.rows);
    expect(found).toMatchObject({ rows: rows.length, matched, unmatched: rows.length - matched, groups });
  });

  test('histogram.js', async () => {
    const found = await run('histogram.js', { csv }, { column: 'amount', bins: 8 }, limits);
    const { bins } = found as { bins: { from: number; to: number; count: number }[] };
    const amounts = rows.map((row) => Number(row[5]));
    for (const { from, to, count } of bins) {
      expect(count).toBe(amounts.filter((amount) => amount >= from && amount < to).length);
    }
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(rows.length);
  });
});

describe('CSV of 80 MB', () => {
  const csv = join(folder, 'orders.csv');
  let lines: string[];
  beforeAll(() => {
    makeRecords(csv);
    lines = linesOf(csv);
  });
  afterAll(() => (lines = []));

  test('schema.js', async () => {
    const { fields } = (await run('schema.js', { csv })) as { fields: { name: string; max?: number }[] };
    expect(fields.map(({ name }) => name)).toEqual((lines[0] as string).split(','));
    expect(fields.find(({ name }) => name === 'id')?.max).toBeGreaterThan(0.9 * lines.length);
  });

  test('time-window.js, time-gaps.js and timeline.js', async () => {
    const inputs = { from: '2026-02-01T07:59', to: '2026-02-01T09:30', limit: 2 };
    const times = lines.slice(1).map((line) => line.split(',', 2)[1] as string);
    const inside = lines.slice(1).filter((_, row) => {
      const time = times[row] as string;
      return time >= inputs.from && time < inputs.to;
    });
    expect(await run('time-window.js', { csv }, inputs)).toEqual({ lines: inside.length, shown: inside.slice(0, 2) });
    expect(await run('time-gaps.js', { csv }, { seconds: 1 })).toEqual({
      times: times.length,
      backwards: 0,
      gaps: 0,
      longest: [],
    });
    const hours = countBy(times, (time) => time.slice(0, 13));
    const timeline = [...hours].map(([time, lines]) => ({ time, lines }));
    expect(await run('timeline.js', { csv }, { rows: 20 })).toMatchObject({ unit: 'hour', timeline });
  });

  test('diff.js, of two', async () => {
    const other = join(folder, 'other.csv');
    const changed = lines.toSpliced(700_000, 3, 'one').toSpliced(500_000, 0, 'two', 'three').toSpliced(1000, 1);
    writeFileSync(other, changed.join('\n'));
    const found = await run('diff.js', { before: csv, after: other });
    expect(found).toMatchObject({
      differences: 3,
      removed: 4,
      added: 3,
      lines: { before: lines.length, after: changed.length },
      shown: [
        { line: { before: 1001, after: 1001 }, removed: [lines[1000]], added: [] },
        { line: { before: 500_001, after: 500_000 }, removed: [], added: ['two', 'three'] },
        { removed: lines.slice(700_000, 700_003), added: ['one'] },
      ],
    });
  });
});

/** Of a million sums the last digits are noise. */
function roundedSums<T extends { sum: number }>(groups: T[]): T[] {
  return groups.map((group) => ({ ...group, sum: Math.round(group.sum) }));
}

describe('JSON lines of 80 MB', () => {
  const jsonl = join(folder, 'events.jsonl');
  beforeAll(() => makeRecords(jsonl));

  test('json-filter.js and schema.js', async () => {
    const records = linesOf(jsonl).map((line) => JSON.parse(line) as { level: string; user: { region: string } });
    const south = records.filter(({ user }) => user.region === 'south');
    const found = await run('json-filter.js', { jsonl }, { field: 'user.region', equals: 'south' });
    expect(found).toEqual({ matches: south.length, records: south.slice(0, 10) });
    const { fields } = (await run('schema.js', { jsonl })) as { fields: { name: string; max?: number }[] };
    const names = ['id', 'level', 'ms', 'note', 'time', 'user', 'user.id', 'user.region'];
    expect(fields.map(({ name }) => name).toSorted()).toEqual(names);
    expect(fields.find(({ name }) => name === 'id')?.max).toBeGreaterThan(0.9 * records.length);
  });

  test('is big', () => expect(readFileSync(jsonl).length).toBeGreaterThanOrEqual(80 * MiB));
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseChart, type Chart } from '@mustard-sandbox/charts';
import { type EngineName, type RunResult, type SandboxError } from '@mustard-sandbox/client';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../files/support.ts';
import { shared } from './support.ts';

/** On a busy machine. */
const limits = { timeoutMs: 10_000 };

async function run(script: string, outputs?: string, engine: EngineName | 'auto' = 'auto'): Promise<RunResult> {
  return await shared().run({ script, limits, engine, ...(outputs !== undefined && { outputs }) });
}

async function chartOf(script: string): Promise<Chart> {
  const { outputs = [] } = await run(script, makeFolder());
  return parseChart(readFileSync(outputs[0]!.path, 'utf8'));
}

async function problemOf(script: string): Promise<SandboxError> {
  return await run(script, makeFolder()).then(
    ({ value }) => expect.unreachable(JSON.stringify(value)),
    (error: unknown) => error as SandboxError,
  );
}

const rows = `[{ h: '2026-03-01T01:30', n: 3, c: 'a' }, { h: '2026-03-01T02:00Z', n: null, c: 7 }]`;

describe('what is kept', () => {
  test('the columns that the script named, with times as milliseconds', async () => {
    const folder = makeFolder();
    const script = `chart({ type: 'line', data: ${rows}, x: 'h', y: { field: 'n', label: 'errors' }, color: 'c', title: 'Per hour' })`;
    const { value, outputs } = await run(script, folder);
    expect(value).toEqual({ name: 'per-hour.chart.json', size: outputs?.[0]?.size });
    expect(readdirSync(folder)).toEqual(['per-hour.chart.json']);
    expect(JSON.parse(readFileSync(join(folder, 'per-hour.chart.json'), 'utf8'))).toEqual({
      version: 1,
      type: 'line',
      title: 'Per hour',
      x: { label: 'h', scale: 'time', values: [Date.UTC(2026, 2, 1, 1, 30), Date.UTC(2026, 2, 1, 2)] },
      y: { label: 'errors', scale: 'linear', values: [3, null] },
      color: { label: 'c', scale: 'category', values: ['a', '7'] },
    });
  });

  test.each([
    ['a list of lists', `[['a', 1], ['b', 2]]`, `x: '0', y: '1'`],
    ['an object', `({ a: 1, b: 2 })`, `x: 'key', y: 'value'`],
    ['the answer of query', `({ rows: [{ k: 'a', v: 1 }, { k: 'b', v: 2 }], truncated: false })`, `x: 'k', y: 'v'`],
  ])('%s is rows', async (_, data, axes) => {
    const { x, y } = await chartOf(`const data = ${data}; chart({ type: 'bar', data, ${axes} })`);
    expect([x?.values, y?.values]).toEqual([
      ['a', 'b'],
      [1, 2],
    ]);
  });

  test.each<[string, string, (string | undefined)[]]>([
    ['line', `x: 'n', y: 'm'`, ['linear', 'linear']],
    ['line', `x: 't', y: 'm'`, ['time', 'linear']],
    ['line', `x: 's', y: { field: 'm', scale: 'log' }`, ['category', 'log']],
    ['bar', `x: 'n', y: 'm'`, ['category', 'linear']],
    ['bar', `x: 't', y: 'm'`, ['category', 'linear']],
    ['bar', `x: 'm', y: 's'`, ['linear', 'category']],
    ['scatter', `x: 'n', y: 'm', color: 'f'`, ['linear', 'linear', 'linear']],
    ['scatter', `x: 'n', y: 'm', color: 'n'`, ['linear', 'linear', 'category']],
    ['histogram', `x: 'm'`, ['linear', undefined]],
    ['heatmap', `x: 'n', y: 's', color: 'm'`, ['category', 'category', 'linear']],
    ['box', `x: 'n', y: 'm'`, ['category', 'linear']],
    ['box', `y: 'm'`, [undefined, 'linear']],
  ])('%s of %s has the scales that its values suggest', async (type, axes, scales) => {
    const data = `[{ n: 1, m: 5, f: 0.5, s: 'a', t: '2026-03-01' }, { n: 2, m: 6, f: 1.5, s: 'b', t: '2026-03-02' }]`;
    const { x, y, color } = await chartOf(`chart({ type: '${type}', data: ${data}, ${axes} })`);
    expect([x?.scale, y?.scale, ...(scales.length > 2 ? [color?.scale] : [])]).toEqual(scales);
  });

  test('a chart without a name replaces no other, and one with a name its last', async () => {
    const folder = makeFolder({ 'box.chart.json': 'mine' });
    const one = `chart({ type: 'box', data: [1, 2], y: 'value' }).name`;
    const { value } = await run(`[${one}, ${one}]`, folder);
    expect(value).toEqual(['box-2.chart.json', 'box-2-2.chart.json']);
    expect(readFileSync(join(folder, 'box.chart.json'), 'utf8')).toBe('mine');
    const named = `chart({ type: 'box', data: [1, 2], y: 'value', name: 'mine.chart.json' }).name`;
    expect((await run(`[${named}, ${named}]`, makeFolder())).value).toEqual(['mine.chart.json', 'mine.chart.json']);
  });

  test('MustardScript keeps the same', async () => {
    const script = `chart({ type: 'bar', data: [{ a: 'x', b: 1 }], x: 'a', y: 'b' }).name`;
    for (const engine of ['quickjs', 'mustardscript'] as const) {
      expect((await run(script, makeFolder(), engine)).value).toBe('bar.chart.json');
    }
  });
});

describe('what is refused', () => {
  test.each([
    ['no spec', '', 'type: '],
    ['no object', '5', 'expected object'],
    ['another type', `{ type: 'pie', data: [1] }`, 'type: '],
    ['an unknown option', `{ type: 'box', data: [1], y: 'value', colour: 'a' }`, `unknown option 'colour'`],
    [
      'an unknown option of a column',
      `{ type: 'box', data: [1], y: { field: 'value', lable: 'a' } }`,
      `y: unknown option 'lable'`,
    ],
    ['__proto__', `JSON.parse('{"type":"box","data":[1],"y":"value","__proto__":{}}')`, `unknown option '__proto__'`],
    ['no rows', `{ type: 'box', data: [], y: 'value' }`, 'data: it has no rows'],
    ['rows that are none', `{ type: 'box', data: 'abc', y: 'value' }`, 'data: it is no list of rows but string'],
    [
      'a column that is not there',
      `{ type: 'box', data: [{ a: 1, b: 2 }], y: 'c' }`,
      'y: the data has no column "c"; it has a, b',
    ],
    [
      'a column of Object',
      `{ type: 'box', data: [{ a: 1 }], y: 'constructor' }`,
      'y: the data has no column "constructor"',
    ],
    ['a missing column', `{ type: 'line', data: [{ a: 1 }], x: 'a' }`, 'y: a line needs it'],
    ['one too many', `{ type: 'histogram', data: [1], x: 'value', y: 'value' }`, 'y: a histogram has none'],
    [
      'text for a number',
      `{ type: 'line', data: [{ a: 1, b: 2 }, { a: 2, b: 'x' }], x: 'a', y: 'b' }`,
      'y: row 1 of column "b" has "x"',
    ],
    ['NaN', `{ type: 'box', data: [1, NaN], y: 'value' }`, 'y: row 1 of column "value" has NaN'],
    ['Infinity', `{ type: 'box', data: [1, -Infinity], y: 'value' }`, 'y: row 1 of column "value" has -Infinity'],
    [
      'a list for a name',
      `{ type: 'bar', data: [{ a: [1], b: 1 }], x: 'a', y: 'b' }`,
      'x: row 0 of column "a" has a list',
    ],
    ['0 on a log scale', `{ type: 'box', data: [1, 0], y: { field: 'value', scale: 'log' } }`, 'y: row 1 has 0'],
    [
      'a bar of a log scale',
      `{ type: 'bar', data: [{ a: 'x', b: 1 }], x: 'a', y: { field: 'b', scale: 'log' } }`,
      `y: its scale is 'log'`,
    ],
    [
      'no time',
      `{ type: 'line', data: [{ a: 'soon', b: 1 }], x: { field: 'a', scale: 'time' }, y: 'b' }`,
      'x: row 0 of column "a" has "soon"',
    ],
    [
      '10,000 names',
      `{ type: 'bar', data: Array.from({ length: 10000 }, (_, i) => ['c' + i, i]), x: '0', y: '1' }`,
      'x: "0" has 10000 different values',
    ],
    [
      '21 colours',
      `{ type: 'scatter', data: Array.from({ length: 21 }, (_, i) => ['c' + i, i]), x: '1', y: '1', color: '0' }`,
      'color: "0" has 21 different values',
    ],
    [
      'two numbers for a cell',
      `{ type: 'heatmap', data: [[1, 2, 3], [1, 2, 4]], x: '0', y: '1', color: '2' }`,
      'data: rows 0 and 1 are the same cell',
    ],
    ['no data', `{ type: 'bar', x: 'a', y: 'b' }`, 'data is missing'],
    ['bins of a line', `{ type: 'line', data: [[1, 2]], x: '0', y: '1', bins: 3 }`, 'bins: a line has none'],
    ['a name with a folder', `{ type: 'box', data: [1], y: 'value', name: '../a' }`, 'name: it is no name for a file'],
    ['a name of a secret', `{ type: 'box', data: [1], y: 'value', name: '.env' }`, 'name: it is no name for a file'],
    ['a long title', `{ type: 'box', data: [1], y: 'value', title: 'x'.repeat(301) }`, 'title: '],
  ])('%s', async (_, spec, message) => {
    const error = await problemOf(`chart(${spec})`);
    expect(error.code).toBe('script_error');
    expect(error.message).toContain('TypeError: chart: ');
    expect(error.message).toContain(message);
  });

  test('a function does not leave the script', async () => {
    expect((await problemOf(`chart({ type: 'box', data: [1], y: () => 1 })`)).message).toContain('a function');
  });

  test('more points than a page should hold, with advice', async () => {
    const script = (count: number): string =>
      `chart({ type: 'box', data: Array.from({ length: ${count} }, (_, i) => i), y: 'value' }).size > 0`;
    expect((await run(script(50_000), makeFolder())).value).toBe(true);
    const error = await problemOf(script(50_001));
    expect(error).toMatchObject({ code: 'limit_exceeded', details: { value: 50_000, unit: 'items', actual: 50_001 } });
    expect(error.message).toContain('Sum it up first');
  });

  test('ten million points end the run and not the sidecar', async () => {
    const error = await problemOf(
      `chart({ type: 'box', data: Array.from({ length: 10000000 }, (_, i) => i), y: 'value' })`,
    );
    expect(['limit_exceeded', 'timeout']).toContain(error.code);
    expect((await run('1 + 1')).value).toBe(2);
  });

  test('more bytes than a page should hold', async () => {
    const script = `chart({ type: 'line', data: Array.from({ length: 400 }, (_, i) => [i + 'x'.repeat(20000), i]), x: '0', y: '1' })`;
    expect(await problemOf(script)).toMatchObject({ code: 'limit_exceeded', details: { unit: 'bytes' } });
  });

  test('a run that keeps no files', async () => {
    await expect(run(`chart({ type: 'box', data: [1], y: 'value' })`)).rejects.toMatchObject({
      code: 'capability_denied',
      details: { capability: 'chart' },
    });
  });
});

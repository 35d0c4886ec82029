import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeLog } from '../fixtures/log.ts';
import { attach, runExample } from './support.ts';

const MiB = 1024 * 1024;

const folder = mkdtempSync(join(tmpdir(), 'mustard-log-'));
afterAll(() => rmSync(folder, { recursive: true }));
/** Of 8 MB. */
const path = join(folder, 'server.log');
let lines: string[];
beforeAll(async () => {
  await writeLog(path, 8);
  lines = readFileSync(path, 'utf8').trimEnd().split('\n');
});

function topErrors(lines: string[], count: number): { code: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const [, level, code] = line.split(' ') as [string, string, string];
    if (level === 'ERROR') counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  const rows = [...counts].map(([code, count]) => ({ code, count }));
  return rows.sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1)).slice(0, count);
}

describe('top-errors.js', () => {
  test('takes another file and another number', async () => {
    const scope = { attachments: [{ name: 'other.log', path }] };
    const inputs = { file: 'attachments:other.log', top: 2, after: ' ERROR ' };
    const { value } = await runExample('top-errors.js', { scope, inputs });
    expect(value).toEqual(topErrors(lines, 2));
  });

  test.each([
    ['an empty log', '', []],
    ['no errors', 'a INFO ok\n', []],
    ['a last line without a line break', 'a ERROR E1', [{ code: 'E1', count: 1 }]],
  ])('%s', async (_, content, expected) => {
    const { value } = await runExample('top-errors.js', { scope: attach('server.log', content) });
    expect(value).toEqual(expected);
  });
});

describe('slow-requests.js', () => {
  test('finds the percentiles', async () => {
    const durations = lines.map((line) => Number(/dur=(\d+)ms$/.exec(line)?.[1])).sort((a, b) => a - b);
    const percentile = (share: number): number => durations[Math.ceil(share * durations.length) - 1] as number;
    const { value } = await runExample('slow-requests.js', { scope: { attachments: [{ name: 'server.log', path }] } });
    expect(value).toEqual({
      requests: durations.length,
      p50: percentile(0.5),
      p95: percentile(0.95),
      p99: percentile(0.99),
      max: durations.at(-1),
    });
  });

  test('a log without durations', async () => {
    const { value } = await runExample('slow-requests.js', { scope: attach('server.log', 'nothing here\n') });
    expect(value).toEqual({ requests: 0 });
  });
});

describe('tail.js', () => {
  test.each([1, 10, 5000])('gives the last %d lines and reads little more', async (count) => {
    const scope = { attachments: [{ name: 'server.log', path }] };
    const { value, bytesRead } = await runExample('tail.js', { scope, inputs: { count } });
    const expected = lines.slice(-count).join('\n');
    expect(value).toBe(expected);
    expect(bytesRead).toBeLessThan(3 * expected.length + 64 * 1024);
  });

  test('takes off the CR of CRLF, and cuts long lines', async () => {
    const scope = attach('a.txt', `a\r\n${'ü'.repeat(70_000)}\r\nc\r\n`);
    const { value } = await runExample('tail.js', { scope, inputs: { count: 2, width: 3 } });
    expect(value).toBe('üüü…\nc');
  });

  test('a line that is longer than all that it keeps', async () => {
    const scope = attach('a.txt', `a\n${'x'.repeat(20 * MiB)}end`);
    const { value, bytesRead } = await runExample('tail.js', { scope, inputs: { width: 100 } });
    expect(value).toBe(`${'x'.repeat(100)}…`);
    expect(bytesRead).toBeLessThan(10 * MiB);
  });

  test.each([
    ['an empty file', '', 3, ''],
    ['fewer lines than asked for', 'a\nb\n', 3, 'a\nb'],
    ['no line break at the end', 'a\nb\nc', 2, 'b\nc'],
    ['empty lines at the end', 'a\n\n\n', 2, '\n'],
    ['lines longer than a range', `a\n${'é'.repeat(40_000)}\n${'😀'.repeat(40_000)}\n`, 1, '😀'.repeat(40_000)],
    ['characters at the edges of ranges', `${'x€'.repeat(50_000)}\nz\n`, 2, `${'x€'.repeat(50_000)}\nz`],
  ])('%s', async (_, content, lines, expected) => {
    const scope = attach('a.txt', content);
    const { value } = await runExample('tail.js', {
      scope,
      inputs: { file: 'attachments:a.txt', count: lines, width: 1e6 },
    });
    expect(value === expected).toBe(true);
  });
});

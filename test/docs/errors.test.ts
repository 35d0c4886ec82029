import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { constructs, limitNames, limitTable, readLimitTable } from '@mustard-sandbox/client';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { maxAnswerLength } from '../../packages/agent-tool/src/failures/explain.ts';
import { crashReason } from '../../packages/sandbox-client/src/exit-cause.ts';
import { errorNumbers } from '@mustard-sandbox/protocol';

const root = fileURLToPath(new URL('../..', import.meta.url));
const document = readFileSync(`${root}/docs/errors.md`, 'utf8');

/** The cells of the rows of a section's table. */
function rowsOf(heading: string): string[][] {
  const section = document.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const codesIn = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code as string);

test('has every code with its number, and no other', () => {
  const rows = ['From the script', 'From the sidecar', 'From the client'].flatMap(rowsOf);
  expect(rows.map(([code, number]) => [codesIn(code)[0], Number(number)])).toEqual(Object.entries(errorNumbers));
  for (const row of rows) expect(row.every((cell) => cell !== '')).toBe(true);
});

test('has every limit with its option', () => {
  const named = rowsOf('Limits').map(([limit, option]) => [codesIn(limit)[0], codesIn(option)[0]]);
  const ours = [
    ...Object.entries(limitTable).map(([option, { name }]) => [name, `limits.${option}`]),
    ...Object.entries(readLimitTable).map(([option, { name }]) => [name, `scope.${option}`]),
    ['input_bytes', undefined],
    ['argument_bytes', undefined],
    ['value_items', undefined],
    ['capability_ms', undefined],
    ['query_bytes', undefined],
    ['engine', undefined],
    ['queue', 'maxQueue'],
    ['nested_runs', 'maxNesting'],
    ['attachment_bytes', 'sizeThreshold'],
    ['message_bytes', undefined],
  ];
  expect(named).toEqual(ours);
  expect(named.map(([limit]) => limit)).toEqual(limitNames);
});

test('has every way to crash', () => {
  const exits = [
    { signal: 'SIGABRT', exitCode: undefined, stderr: 'memory allocation of 5 bytes failed' },
    { signal: 'SIGSEGV', exitCode: undefined, stderr: '' },
    { signal: 'SIGABRT', exitCode: undefined, stderr: '' },
    { signal: 'SIGKILL', exitCode: undefined, stderr: '' },
    { signal: undefined, exitCode: 3, stderr: '' },
  ];
  expect(rowsOf('Crashes').map(([reason]) => codesIn(reason)[0])).toEqual(exits.map(crashReason));
});

test('has every construct', () => {
  expect(rowsOf('Constructs and subjects').flatMap(([, names]) => codesIn(names))).toEqual(constructs);
});

test('its example prints what it says', async () => {
  const example = /```js\n(import[\s\S]*?)```/.exec(document)?.[1] as string;
  const { stdout } = await execa(process.execPath, ['--input-type=module'], { input: example, cwd: root });
  const printed = /````text\n([\s\S]*?)\n````/.exec(document)?.[1] as string;
  expect(stdout).toBe(`script_error name 2\n${printed}`);
  expect(document).toContain(`at most ${maxAnswerLength.toLocaleString('en-US')} characters`);
});

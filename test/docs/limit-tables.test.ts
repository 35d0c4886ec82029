import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultHostCallTimeoutMs, limitPresets, limitTable, readLimitTable } from '@mustard-sandbox/client';
import { expect, test } from 'vitest';
import { parseSandboxOptions } from '../../packages/sandbox-client/src/options.ts';
import * as fixed from '@mustard-sandbox/protocol';
import { root } from './blocks.ts';
import { limitRows, shown, tablesAfter } from './tables.ts';

const page = readFileSync(join(root, 'docs/limits.md'), 'utf8');
const firstTable = (heading: string): string[][] => tablesAfter(page, heading)[0] ?? [];

test.each([
  ['A run', limitTable],
  ['Reading', readLimitTable],
])('%s: every limit with its default and its ceiling', (heading, table) => {
  expect(firstTable(heading).map((row) => row.slice(0, 3))).toEqual(limitRows(table));
});

test('the fixed ones have their values', () => {
  expect(firstTable('Fixed limits').map(([, value]) => value)).toEqual([
    shown(fixed.builtinCallTimeoutMs, 'ms'),
    `${shown(fixed.maxValueBytes, 'bytes')} each`,
    shown(fixed.maxValueItems, ''),
    shown(fixed.maxValueDepth, ''),
    shown(fixed.maxArrayLength, ''),
    shown(fixed.maxParallelFiles, ''),
    `${fixed.maxConsoleCharacters.toLocaleString('en-US')} characters`,
    `${fixed.maxConsoleRunCharacters.toLocaleString('en-US')} characters`,
    shown(fixed.maxConsoleLinesPerSecond, ''),
  ]);
  expect(page).toContain(`A host function has ${shown(defaultHostCallTimeoutMs, 'ms')} for a call`);
});

test('those of the sandbox have their defaults', () => {
  const options = parseSandboxOptions({}) as unknown as Record<string, unknown>;
  const unitOf = (name: string): string => (name.endsWith('Ms') ? 'ms' : name.endsWith('Bytes') ? 'bytes' : '');
  for (const [cell = '', value] of firstTable('The sandbox').slice(1)) {
    const name = cell.replaceAll('`', '');
    expect([name, value]).toEqual([name, shown(options[name] as number, unitOf(name))]);
  }
});

test('the presets set what it says', () => {
  const { heapBytes, instructions } = limitPresets.strict;
  const rows = firstTable('Presets').map(([name, sets]) => [name, sets]);
  expect(rows).toEqual([
    ['`default`', 'nothing'],
    ['`strict`', `\`heapBytes\` ${shown(heapBytes, 'bytes')}, \`instructions\` ${shown(instructions, '')}`],
  ]);
  expect([Object.keys(limitPresets), limitPresets.default]).toEqual([['default', 'strict'], {}]);
});

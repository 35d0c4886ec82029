import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { load } from './load.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const figures = join(root, 'docs/performance/figures.json');
const generate = (...args: string[]) =>
  execa(process.execPath, [join(root, 'bench/report/index.mjs'), ...args], { cwd: root, reject: false });

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'performance-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('docs/performance.md is what the last run says; if not: npm run docs:performance', async () => {
  const { exitCode, stdout, stderr } = await generate('--check');
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: 'All pages are up to date.', stderr: '' });
});

test('a run with other figures makes other pages, and only those', async () => {
  const folder = await makeFolder();
  await generate('--out', folder);
  const run = await readFile(figures, 'utf8');
  const { judgements } = JSON.parse(run) as { judgements: { value: number }[] };
  const other = join(folder, 'other.json');
  await writeFile(other, run.replace(`"value": ${judgements[0]?.value}`, '"value": 987'));

  const check = await generate('--check', '--out', folder, other);
  expect(check).toMatchObject({
    exitCode: 1,
    stderr: 'Not what the run says: performance.md, performance/figures.json.',
  });
  await generate('--out', folder, other);
  expect(await readFile(join(folder, 'performance.md'), 'utf8')).toContain('987 ×');
});

test('a run that lacks a figure makes no page, and the message names it', async () => {
  const folder = await makeFolder();
  const run = JSON.parse(await readFile(figures, 'utf8')) as { figures: { name: string }[] };
  const part = join(folder, 'part.json');
  await writeFile(part, JSON.stringify({ ...run, figures: run.figures.filter(({ name }) => name !== 'recovery') }));
  const { exitCode, stderr } = await generate('--out', folder, part);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: 'The run lacks recovery: measure everything, without --quick and --only.',
  });
});

// What is wanted since then comes with the next full run.
test('everything that the last run measured and grew is on the page, and is still wanted', async () => {
  const page = await readFile(join(root, 'docs/performance.md'), 'utf8');
  const run = JSON.parse(await readFile(figures, 'utf8')) as {
    mode: string;
    judgements: { id: string; what: string }[];
    growth: { name: string }[];
  };
  const { wanted } = await load<{ wanted: Record<string, object> }>('wanted.mjs');
  expect(run.mode).toBe('full');
  expect(Object.keys(wanted)).toEqual(expect.arrayContaining(run.judgements.map(({ id }) => id)));
  for (const { what } of run.judgements) expect(page).toContain(`| ${what} `);
  for (const { name } of run.growth) expect(page).toContain(`(performance/${name}.svg)`);
});

test('amounts have three digits and a unit that fits', async () => {
  const { amount } = await load<{ amount: (value: number, unit: string) => string }>('report/format.mjs');
  const shown = [
    [0.0001234, 'ms'],
    [0.25, 'ms'],
    [9.999, 'ms'],
    [1234, 'ms'],
    [0, 'bytes'],
    [1536, 'bytes'],
    [2 ** 30, 'bytes'],
    [100000, 'count'],
    [12345.6, '1/s'],
    [0.6, '×'],
    [150, '×'],
  ] as const;
  expect(shown.map(([value, unit]) => amount(value, unit))).toEqual([
    '0.123 µs',
    '250 µs',
    '10.00 ms',
    '1.23 s',
    '0 B',
    '1.50 KB',
    '1.00 GB',
    '100,000',
    '12,346/s',
    '0.600 ×',
    '150 ×',
  ]);
});

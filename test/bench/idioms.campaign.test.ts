import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSandbox } from '@mustard-sandbox/client';
import { execa } from 'execa';
import { afterAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../files/support.ts';

interface Task {
  task: string;
  input?: 'log' | 'csv' | 'jsonl';
  ways: { name: string; script: string }[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const { tasks } = (await import(new URL('../../bench/idioms/cases.mjs', import.meta.url).href)) as { tasks: Task[] };
const document = readFileSync(join(root, 'docs/fast-scripts.md'), 'utf8');
const limits = { timeoutMs: 60_000, instructions: 1e9 };
const sandbox = createSandbox({ spares: 0, maxTimeoutMs: 60_000 });
afterAll(() => sandbox.close());

async function makeInput(kind: 'log' | 'csv' | 'jsonl'): Promise<string> {
  const path = join(makeFolder(), `input.${kind}`);
  const maker = kind === 'log' ? 'make-log.mjs' : 'make-records.mjs';
  await execa(process.execPath, [join(root, 'scripts', maker), path, '1.2']);
  return path;
}

describe.each(tasks)('$task', ({ task, input, ways }) => {
  test('all ways give the same answer', async () => {
    const path = input === undefined ? undefined : await makeInput(input);
    const scope = path === undefined ? {} : { attachments: [{ name: 'input', path }] };
    const answers: unknown[] = [];
    for (const { script } of ways) answers.push((await sandbox.run({ script, scope, limits })).value);
    expect(answers).toEqual(answers.map(() => answers[0]));
    // Nothing found would be the same answer too.
    expect(answers[0]).toBeTruthy();
  });

  test('the docs have its ways', () => {
    const section = document.split(`### ${task}\n`)[1]?.split('\n### ')[0] ?? '';
    const rows = [...section.matchAll(/^\| (.+?) +\| +[\d.]+ (?:MB\/s|ms) \| +[\d.]+ × \|$/gm)].map(([, name]) => name);
    expect(new Set(rows)).toEqual(new Set(ways.map(({ name }) => name)));
  });
});

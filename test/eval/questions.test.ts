// What holds for every question that `npm run eval` asks. That an answer is right, the campaign beside this file checks.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { listNames, makeData } from '../../eval/data/index.mjs';
import { isRight } from '../../eval/judge.mjs';
import { promptFor } from '../../eval/workplace.mjs';
import { makeFolder } from './support.ts';

const scale = 0.02;

const made = listNames.map((list) => {
  const folder = mkdtempSync(join(tmpdir(), 'mustard-questions-'));
  return { list, folder, ...makeData(folder, scale, list) };
});
afterAll(() => {
  for (const { folder } of made) rmSync(folder, { recursive: true });
});

test('no two questions have one name, and each script that was written blind is of one', () => {
  const ids = made.flatMap(({ questions }) => questions.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
  const blind = new URL('../../eval/blind/', import.meta.url);
  const scripts = readdirSync(blind).map((name) => JSON.parse(readFileSync(new URL(name, blind), 'utf8')) as object);
  expect(scripts.flatMap((some) => Object.keys(some)).filter((id) => !ids.includes(id))).toEqual([]);
});

describe.each(made)('$list', ({ list, folder, questions, files }) => {
  test.each(questions)('$id is asked in full, and has an answer that JSON can hold', (question) => {
    expect(question.ask).toMatch(/[.?]$/);
    expect(question.format).toMatch(/^(?:an? |the )/);
    expect(files).toEqual(expect.arrayContaining(question.files));
    expect([undefined, null]).not.toContain(question.answer);
    expect(isRight(JSON.parse(JSON.stringify(question.answer)), question.answer)).toBe(true);
    const prompt = promptFor(question, folder);
    for (const name of question.files) expect(prompt).toContain(name.replace(/^project\//, ''));
  });

  test('the same files and answers are made at every run', () => {
    const again = makeFolder();
    expect(makeData(again, scale, list)).toEqual({ questions, files });
    for (const name of files) {
      expect(readFileSync(join(again, name)).equals(readFileSync(join(folder, name))), name).toBe(true);
    }
  });
});

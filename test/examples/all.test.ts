import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { examplesFolder } from './support.ts';

const examples = readdirSync(examplesFolder).filter((name) => name.endsWith('.js'));
const here = fileURLToPath(new URL('.', import.meta.url));
const tests = readdirSync(here).map((name) => readFileSync(join(here, name), 'utf8'));

test.each(examples)('%s says what it does in its first line, and is run by a test', (name) => {
  const [first] = readFileSync(join(examplesFolder, name), 'utf8').split('\n');
  expect(first).toMatch(/^\/\/ .{10,}\.$/);
  expect(tests.some((text) => text.includes(`runExample('${name}'`))).toBe(true);
});

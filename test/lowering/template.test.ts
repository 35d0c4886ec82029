import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

it.each([
  '`${1}${2}`',
  '`${1}`',
  'typeof `${1}`',
  '`${[1, 2]}`',
  '`${null}${undefined}`',
  '`${new Date(0)}`',
  '`${`${1}${2}`}${3}`',
  'const pairs = {}; pairs[`${1}${2}`] = true; pairs',
  '`a${1}${2}`',
  'const f = (s, ...v) => v; const n = 1; [f`${`${n}${n}`}`, String.raw`a\\n${`${n}${n}`}`]',
  "const box = { toString: () => 'b' }; ((s, v) => v)`${`${box}`}`",
  '[1, 2].map((n) => `${n}${n}`)',
  '``',
])('%s', (script) => expectAsInV8(script));

it('leaves what is right alone', async () => {
  expect((await run('`a${1}`')).value).toBe('a1');
});

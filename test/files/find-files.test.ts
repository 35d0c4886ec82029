import { describe, expect, test } from 'vitest';
import { compileFindGlob } from '@mustard-sandbox/paths';
import { accessTo, errorOf, makeFolder } from './support.ts';

const tree = {
  'a.ts': '',
  'b.js': '',
  'src/c.ts': '',
  'src/deep/d.tsx': '',
  'src/deep/[x].md': '',
  'src/.hidden.ts': '',
  'src/.env': '',
  'src/node_modules/e.ts': '',
  'docs/f.md': '',
  'link.ts': { link: 'a.ts' },
  round: { link: 'src' },
};

test.each([
  ['*.ts', ['a.ts', 'src/.hidden.ts', 'src/c.ts']],
  ['./*.ts', ['a.ts']],
  ['**/*.{ts,tsx}', ['a.ts', 'src/.hidden.ts', 'src/c.ts', 'src/deep/d.tsx']],
  ['src/**', ['src/.hidden.ts', 'src/c.ts', 'src/deep/[x].md', 'src/deep/d.tsx']],
  ['src/*/*', ['src/deep/[x].md', 'src/deep/d.tsx']],
  ['{src/deep,docs}/*.md', ['docs/f.md', 'src/deep/[x].md']],
  ['[a-c].[jt]s', ['a.ts', 'b.js', 'src/c.ts']],
  ['[!a]*.js', ['b.js']],
  ['src/c.ts', ['src/c.ts']],
  ['no/such/*.ts', []],
])('find_files(%j)', (glob, wanted) => {
  expect(accessTo(makeFolder(tree)).findFiles(glob)).toEqual(wanted);
});

test('a list of a folder and all below it', () => {
  const files = accessTo(makeFolder(tree));
  expect(files.listFiles('src', { recursive: true })).toEqual([
    'src/.hidden.ts',
    'src/c.ts',
    'src/deep/',
    'src/deep/[x].md',
    'src/deep/d.tsx',
  ]);
});

test.each(['../*.ts', '/etc/*', 'src/.git/*', 'a\\*', 7, null])('the pattern %j is refused', (glob) => {
  expect(errorOf(() => accessTo(makeFolder(tree)).findFiles(glob))).toMatchObject({ code: 'capability_denied' });
});

describe('patterns that would take for ever', () => {
  test.each([`${'*a'.repeat(50)}b`, '**/'.repeat(50), '{a,b}'.repeat(9)])('%s', (glob) => {
    const compiled = compileFindGlob(glob);
    if ('problem' in compiled) throw new Error(compiled.problem);
    expect(compiled.matches(Array.from({ length: 30 }, () => 'a'.repeat(200)))).toBe(glob.startsWith('**'));
  });

  test('too many alternatives are refused', () => {
    const files = accessTo(makeFolder(tree));
    expect(errorOf(() => files.findFiles('{a,b}'.repeat(20)))).toMatchObject({ code: 'invalid_request' });
  });
});

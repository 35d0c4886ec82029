import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FolderFiles } from '@mustard-sandbox/paths';
import { GitIgnore } from '../../../packages/desktop-agent/src/server/context/gitignore.ts';
import { walk } from '../../../packages/desktop-agent/src/server/context/walk.ts';
import { runs } from '../../full.ts';
import { appWith, put } from './support.ts';

const name = fc.constantFrom('a', 'b', 'c.ts', 'd.log', 'build');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const pattern = fc
  .tuple(
    fc.constantFrom('', '', '!'),
    fc.constantFrom('', '/', '**/'),
    fc.constantFrom('a', 'b', '*.ts', '*.log', 'build', 'a/b', 'a/*', '*', 'b/**', '?'),
    fc.constantFrom('', '/'),
  )
  .map((parts) => parts.join(''));
const rules = fc.array(pattern, { maxLength: 4 }).map((lines) => `${lines.join('\n')}\n`);

/** @param folders each with a file in it @param own the app's own `.gitignore` @param below those of its folders */
type Tree = [folders: string[], own: string, below: Record<string, string>];

const found: Tree[] = [
  // A folder that one pattern takes in again, and in it one that another pattern leaves out.
  [['c.ts/a/d.log'], '*.log\na\n', { 'c.ts': '!a\n' }],
  [['c.ts/a/b'], 'a\n!b\n', { 'c.ts': '!a\n' }],
  [['[x]*/a/d.log', '[x]*/a/b'], '*.log\na\n', { '[x]*': '!a\n' }],
];

test('what git would add is what is walked', () => {
  const app = appWith({});
  const git = (...args: string[]): string => execFileSync('git', ['-C', app, ...args], { encoding: 'utf8' });
  git('init', '-q');
  fc.assert(
    fc.property(fc.uniqueArray(path, { maxLength: 8 }), rules, fc.dictionary(name, rules), (folders, own, below) => {
      const wanted = new Map(folders.map((folder) => [`${folder}/x.ts`, '']));
      wanted.set('.gitignore', own);
      for (const [folder, text] of Object.entries(below)) wanted.set(`${folder}/.gitignore`, text);
      git('clean', '-fdxq');
      put(app, Object.fromEntries(wanted));
      const expected = git('ls-files', '--others', '--exclude-standard', '-z').split('\0').filter(Boolean);
      const walked = walk(new FolderFiles(app, { refuseSecrets: true })).found.map(
        ({ path: walkedPath }) => walkedPath,
      );
      expect(walked.toSorted()).toEqual(expected.toSorted());
    }),
    { ...runs(40, 4), examples: found },
  );
});

test('a walk stops when it has looked at enough', () => {
  const app = appWith(
    Object.fromEntries(Array.from({ length: 30 }, (_, index) => [join(`d${index % 3}`, `${index}.ts`), ''])),
  );
  const { found, complete } = walk(new FolderFiles(app, { refuseSecrets: true }), 10);
  expect(complete).toBe(false);
  expect(found.length).toBeLessThanOrEqual(10);
});

test('a pattern that no matcher ends with is not followed, and is named', () => {
  const hostile = `${'/**/a'.repeat(12)}/b`;
  const rules = new GitIgnore().within('', `${hostile}\na/**/**/***/c\n`);
  expect(rules.dropped).toEqual([hostile]);
  expect(rules.ignores(`${'a/'.repeat(200)}c`)).toBe(true);
  expect(rules.ignores(`${'a/'.repeat(200)}x`)).toBe(false);
  // These the matcher itself keeps within bounds.
  expect(new GitIgnore().within('', `${'*a'.repeat(12)}*b\n`).ignores('a'.repeat(250))).toBe(false);
});

test.each(['**/a/**/a/**/a/z', 'a/**/a/**/b', '!a/**/a/**/b', '**/*a*a*a*/**/*a*a*z'])(
  'a pattern %s stops nothing for long, whatever the paths',
  (pattern) => {
    const rules = new GitIgnore().within('', pattern);
    const start = performance.now();
    for (const path of [`${'a/'.repeat(1900)}z`, 'a'.repeat(250), `${`${'a'.repeat(60)}/`.repeat(60)}b`]) {
      rules.ignores(path);
    }
    // Half a second on a slow machine: it was ten, for one path.
    expect(performance.now() - start).toBeLessThan(3000);
  },
);

test('patterns that take long for many paths are given up with a reason', () => {
  const rules = new GitIgnore().within('', 'a/**/a/**/b\n').within('a/', 'a/**/a/**/c\n');
  const all = (): void => {
    for (let count = 0; count < 100_000; count++) rules.ignores(`${'a/'.repeat(190)}${count}`);
  };
  expect(all).toThrow(/took over 3 s/);
});

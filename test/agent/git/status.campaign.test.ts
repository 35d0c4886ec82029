// What git says of a working tree, and what we say: git is the judge.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { commitOwnChanges } from '../../../packages/desktop-agent/src/server/git/commit.ts';
import { openRepository } from '../../../packages/desktop-agent/src/server/git/repository.ts';
import { statusOf } from '../../../packages/desktop-agent/src/server/git/status.ts';
import { runs } from '../../full.ts';
import { git, hideOwnGit, newApp, removeFolders, state } from '../changes/apps.ts';

hideOwnGit();
afterAll(removeFolders);

/** Each run starts git a dozen times. */
const patience = 240_000;

const names = ['a', 'b.log', 'd/a', 'd/b.log', 'd/e/c', 'out/x', 'out/y/z', 'd/out', 'a/b'];
const name = fc.constantFrom(...names);
const rules = fc.constantFrom(
  '*.log\n',
  'out/\n',
  'out\n',
  '/a\n',
  'd/*\n!d/e\n',
  '!b.log\n',
  '*\n!*/\n!a\n',
  '',
  'e/c\r\n',
);
const action = fc.oneof(
  fc.record({ act: fc.constant('write' as const), path: name, text: fc.constantFrom('', '1', '2', 'x\r\ny') }),
  fc.record({ act: fc.constantFrom('remove', 'link', 'executable', 'add', 'untrack', 'force'), path: name }),
  fc.record({ act: fc.constant('ignore' as const), path: fc.constantFrom('', 'd/', 'out/'), text: rules }),
  fc.record({ act: fc.constant('commit' as const) }),
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

it(
  'says of any working tree what git says, and commits all of it',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 14 }), async (actions) => {
        const app = newApp({ a: '1', 'd/a': '1', 'out/x': '1', 'd/e/c': '1' });
        for (const one of actions) perform(app, one);
        const repository = await openRepository(app);
        const { changed } = await statusOf(repository);
        expect([...changed.keys()].sort()).toEqual(changedSaysGit(app));
        await commitOwnChanges(repository);
        // What was only staged, and then taken back in the file, stays staged.
        expect(changedSaysGit(app)).toEqual([]);
        expect(state(app).broken).toBe('');
      }),
      runs(25),
    );
  },
  patience,
);

/** Against the last commit, whatever is staged. */
function changedSaysGit(app: string): string[] {
  const lines = (text: string): string[] => text.split('\0').filter(Boolean);
  // What is tracked stays so; the rest by the rules for what is new.
  const tracked = lines(git(app, 'ls-files', '-z'));
  const others = lines(git(app, 'ls-files', '-z', '--others', '--exclude-standard'));
  const committed = lines(git(app, 'ls-tree', '-rz', '--name-only', 'HEAD'));
  const differ = new Set(lines(git(app, 'diff', '--name-only', '--no-renames', '-z', 'HEAD')));
  const kept = new Set([...tracked, ...others]);
  const gone = committed.filter((path) => !kept.has(path));
  const back = others.filter((path) => committed.includes(path));
  const isSame = (path: string): boolean => {
    const [mode, , oid] = git(app, 'ls-tree', 'HEAD', '--', path).split(/\s/);
    const isLink = lstatSync(join(app, path)).isSymbolicLink();
    // git keeps of a link where it leads, also where there is nothing.
    if (isLink || mode === '120000') {
      return isLink && mode === '120000' && git(app, 'cat-file', 'blob', oid ?? '') === readlinkSync(join(app, path));
    }
    const now = git(app, 'hash-object', '--no-filters', path).trim();
    return oid === now && (mode === '100755') === ((statSync(join(app, path)).mode & 0o100) !== 0);
  };
  const all = [
    ...tracked.filter((path) => differ.has(path)),
    ...others.filter((path) => !back.includes(path)),
    ...gone,
  ];
  return [...new Set([...all, ...back.filter((path) => !isSame(path))])].sort();
}

function perform(app: string, action: Action): void {
  if (action.act === 'commit') {
    git(app, 'commit', '-q', '--allow-empty', '-m', 'more');
    return;
  }
  const path = join(app, action.path);
  try {
    if (action.act === 'ignore') {
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, '.gitignore'), action.text);
    } else if (action.act === 'write') {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, action.text);
    } else if (action.act === 'remove') rmSync(path, { recursive: true, force: true });
    else if (action.act === 'link') symlinkSync('elsewhere', path);
    else if (action.act === 'executable') chmodSync(path, 0o755);
    else if (action.act === 'untrack') git(app, 'rm', '-q', '--cached', action.path);
    else if (existsSync(path)) git(app, 'add', ...(action.act === 'force' ? ['-f'] : []), action.path);
  } catch {
    // A folder is where a file was meant, or nothing is there: git is asked about what there is.
  }
}

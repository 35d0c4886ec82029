import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** In every file and folder name that no script may see the inside of. It must never come back. */
export const canary = 'C4N4RY';

/** What a script may read, by path below the root. */
const readable = [
  'a.txt',
  'empty',
  'src/b.js',
  'src/deep/er/c.md',
  'environment.md',
  'caf\u00e9.txt',
  'notes~',
  ' x',
  'gone (deleted)',
];
/** What it may not: by a list, by the caller's patterns, by where it lies. */
const denied = [
  '.env',
  '.environment.md',
  '.git/config',
  'src/.ssh/id',
  'src/node_modules/m/i.js',
  'key.pem',
  'private/x.txt',
  'src/a.secret',
];
const outside = ['secret.txt', 'a.txt', 'src/b.js', 'inside/x.txt'];

/** By path below the root: where it leads, and whether a script may follow it. */
const links = {
  'to-a': ['a.txt', true],
  'src/up': ['../src/deep', true],
  round: ['../root/src', true],
  'link.pem': ['a.txt', false],
  'to-out': ['../outside/secret.txt', false],
  out: ['../outside', false],
  'src/out': ['../../outside/src', false],
  parent: ['..', false],
  'to-env': ['.env', false],
  'to-git': ['.git', false],
  'to-private': ['private', false],
  chain: ['src/chain', false],
  'src/chain': ['../out/a.txt', false],
  loop: ['loop', false],
  'loop-a': ['src/loop-b', false],
  'src/loop-b': ['../loop-a', false],
  dangling: ['nothing', false],
  'to-proc': ['/proc/self/environ', false],
  'to-null': ['/dev/null', false],
};

/** An archive below the root, and what is in it; the canary is in what a script may not read. */
export const box = 'box.tar';
export const inBox = { 'a.txt': 'inside the box', 'src/b.js': 'deeper in the box' };
const deniedInBox = ['.env', 'src/.ssh/id', 'private/x.txt', 'src/a.secret'];

/**
 * A tree to attack. What may be read is told by device and inode, which no trick with names changes.
 *
 * @returns {Promise<{ world: string, root: string, names: string[], files: Map<string, string>, folders: Set<string>,
 *   wholePaths: string[], scope: object, close: () => Promise<void> }>}
 */
export async function makeTree() {
  const world = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-fuzz-')));
  const root = join(world, 'root');
  const write = (path, text) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const files = new Map();
  for (const path of readable) {
    const text = path === 'empty' ? '' : `inside ${path} \u00e9\u{1f600}`;
    write(join(root, path), text);
    files.set(identity(join(root, path)), text);
  }
  for (const [path, text] of Object.entries(inBox)) write(join(world, 'box', path), text);
  for (const path of deniedInBox) write(join(world, 'box', path), canary);
  symlinkSync('../outside/secret.txt', join(world, 'box/to-out'));
  execFileSync('tar', ['cf', join(root, box), '-C', join(world, 'box'), '.']);
  // Its size can be asked, and it is no text.
  files.set(identity(join(root, box)), box);
  for (const path of denied) write(join(root, path), canary);
  for (const path of outside) write(join(world, 'outside', path), canary);
  write(join(world, 'root-sibling/a.txt'), canary);
  for (const [path, [target]] of Object.entries(links)) symlinkSync(/** @type {string} */ (target), join(root, path));
  const server = createServer();
  if (process.platform !== 'win32') {
    execFileSync('mkfifo', [join(root, 'fifo')]);
    await new Promise((resolve) => server.listen(join(root, 'socket'), () => resolve(undefined)));
  }
  write(join(root, 'locked/x.txt'), canary);
  // Root may read everything.
  if (process.getuid?.() === 0) rmSync(join(root, 'locked'), { recursive: true });
  else chmodSync(join(root, 'locked'), 0);
  write(join(world, 'outside/attached.log'), 'attached');
  linkSync(join(world, 'outside/attached.log'), join(world, 'outside/attached-too'));
  // Not by a recursive list, which goes round through `parent`.
  const boxed = [...Object.keys(inBox), ...deniedInBox, 'to-out'].map((path) => `${box}!/${path}`);
  const everything = [
    ...readable,
    ...boxed,
    box,
    ...denied,
    ...Object.keys(links),
    'fifo',
    'socket',
    'locked/x.txt',
    'src/deep/er',
  ];
  const folders = new Set(['.', 'src', 'src/deep', 'src/deep/er'].map((path) => identity(join(root, path))));
  const close = async () => {
    if (server.listening) await new Promise((resolve) => server.close(resolve));
    if (process.getuid?.() !== 0) chmodSync(join(root, 'locked'), 0o700);
    rmSync(world, { recursive: true, force: true });
  };
  return {
    world,
    root,
    files,
    folders,
    names: [...new Set([...everything, ...outside].flatMap((path) => path.split('/')))],
    wholePaths: everything,
    scope: {
      root,
      attachments: [{ name: 'log', path: join(world, 'outside/attached.log') }],
      deny: ['private', '*.secret'],
    },
    close,
  };
}

/** @param {string} path */
export function identity(path) {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

/** Whether a name is one of those that the tree has and nobody may write, wherever it leads. @param {string} name */
export function isDeniedHere(name) {
  return ['.env', '.git', '.ssh', 'node_modules', 'key.pem', 'link.pem', 'private', 'a.secret'].includes(name);
}

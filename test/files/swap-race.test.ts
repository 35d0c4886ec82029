import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { FileAccess } from '../../packages/sandbox-daemon/src/files/index.ts';
import { SandboxError } from '@mustard-sandbox/protocol';
import { isFull } from '../full.ts';
import { makeFolder, openScope, releaseLater } from './support.ts';

/** 30 and more before a release. */
const seconds = Number(process.env['MUSTARD_SANDBOX_RACE_SECONDS'] ?? (isFull ? 3 : 1));

interface Tally {
  inside: number;
  refused: number;
  foreign: string[];
}

/** What each gives when it sees the inside; it may give nothing else. */
const reads: [what: string, expected: string, read: (files: FileAccess) => string][] = [
  ['a link to a file', 'inside', (files) => files.readFile('file', {}).toString()],
  ['a file in a folder', 'inside', (files) => files.readFile('folder/x.txt', {}).toString()],
  ['a file two folders down', 'inside', (files) => files.readFile('top/mid/x.txt', {}).toString()],
  ['a file behind a link to a folder', 'inside', (files) => files.readFile('sub/up/x.txt', {}).toString()],
  ['a file or a FIFO', 'inside', (files) => files.readFile('pipe', {}).toString()],
  ['an attachment', 'inside', (files) => files.readFile('attachments:log', {}).toString()],
  ['an attachment in a folder', 'inside', (files) => files.readFile('attachments:deep', {}).toString()],
  ['the size of a file', '6', (files) => String(files.fileStats('folder/x.txt').size)],
  ['the size of a linked file', '6', (files) => String(files.fileStats('file').size)],
  ['the size of a file two folders down', '6', (files) => String(files.fileStats('top/mid/x.txt').size)],
  ['the size of an attachment', '6', (files) => String(files.fileStats('attachments:log').size)],
  ['a list two folders down', 'top/mid/x.txt', (files) => files.listFiles('top/mid').join()],
  ['a list of a folder in the middle', 'top/mid/', (files) => files.listFiles('top').join()],
  ['a list', 'folder/x.txt', (files) => files.listFiles('folder').join()],
  ['a list behind a link', 'sub/up/x.txt', (files) => files.listFiles('sub/up').join()],
];

test(
  `swapping links while they are read leaks nothing (${seconds} s)`,
  { timeout: (seconds + 60) * 1000 },
  async () => {
    const world = makeFolder({
      'outside/foreign.txt': 'FOREIGN FOREIGN',
      'outside/x.txt': 'FOREIGN FOREIGN',
      'outside/mid/x.txt': 'FOREIGN FOREIGN',
      'outside/mid/foreign.txt': 'FOREIGN FOREIGN',
      'root/inside.txt': 'inside',
      'root/folder/x.txt': 'inside',
      'root/top/mid/x.txt': 'inside',
      'root/real/x.txt': 'inside',
      'root/.git/x.txt': 'FOREIGN FOREIGN',
      'root/.git/FOREIGN': '',
      'root/file': { link: 'inside.txt' },
      'root/sub/up': { link: '../real' },
      'root/log.txt': 'inside',
      'root/pipe': 'inside',
      link: { link: '../outside' },
      'link-top': { link: '../outside' },
    });
    execFileSync('mkfifo', [join(world, 'fifo')]);
    releaseLater(join(world, 'fifo'), seconds + 5);
    const files = openScope({
      root: join(world, 'root'),
      attachments: [
        { name: 'log', path: join(world, 'root/log.txt') },
        { name: 'deep', path: join(world, 'root/folder/x.txt') },
      ],
      maxTotalReadBytes: 2 ** 34,
    });
    await startSwapper(world);
    const tallies = reads.map((): Tally => ({ inside: 0, refused: 0, foreign: [] }));
    const end = Date.now() + seconds * 1000;
    while (Date.now() < end) reads.forEach(([, ...read], index) => attempt(files, read, tallies[index] as Tally));

    const sum = (key: 'inside' | 'refused'): number => tallies.reduce((total, tally) => total + tally[key], 0);
    const foreign = tallies.flatMap((tally) => tally.foreign).length;
    console.log(`${sum('inside')} reads of the inside, ${sum('refused')} refused, ${foreign} of what is foreign`);
    for (const [index, [what]] of reads.entries()) {
      const { inside, refused, foreign } = tallies[index] as Tally;
      expect(foreign, what).toEqual([]);
      // Otherwise nothing was raced for.
      expect(inside, what).toBeGreaterThan(0);
      expect(refused, what).toBeGreaterThan(0);
    }
  },
);

async function startSwapper(world: string): Promise<void> {
  const script = fileURLToPath(new URL('fixtures/swapper.mjs', import.meta.url));
  const swapper = spawn(process.execPath, [script, world], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    if (swapper.exitCode !== null) throw new Error('The swapper ended early.');
    swapper.kill('SIGKILL');
    await once(swapper, 'exit');
  });
  await once(swapper.stdout, 'data');
}

function attempt(files: FileAccess, [expected, read]: [string, (files: FileAccess) => string], tally: Tally): void {
  try {
    const seen = read(files);
    if (seen === expected) tally.inside++;
    else tally.foreign.push(seen);
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    tally.refused++;
  }
}

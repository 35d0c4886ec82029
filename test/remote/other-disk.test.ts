import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, realpath, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectSandbox, type RemoteSandbox } from '@mustard-sandbox/remote';
import { main } from '../cli/support.ts';

const hasBubblewrap = spawnSync('bwrap', ['--dev-bind', '/', '/', 'true']).status === 0;
const time = new Date('2024-05-06T07:08:09Z');

let folder: string;
let theirs: string;
let remote: RemoteSandbox;
let stop: () => Promise<unknown>;

describe.skipIf(!hasBubblewrap)('a file that is at client and server, by its path, size and time', () => {
  const path = (name: string): string => join(folder, 'shared', name);
  const read = (name: string) =>
    remote.run({
      script: `read_file('attachments:${name}', { length: 10 })`,
      scope: { attachments: [{ name, path: path(name) }] },
    });

  /** One at either end, with the same size and time. */
  async function write(name: string, own: string, atServer: string): Promise<void> {
    for (const [at, content] of [
      [path(name), own],
      [join(theirs, name), atServer],
    ] as const) {
      await writeFile(at, content);
      await utimes(at, time, time);
    }
  }

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'remote-other-disk-')));
    theirs = join(folder, 'theirs');
    for (const at of [theirs, path('')]) await mkdir(at);
    // At the server another folder has the path of the client's.
    const disks = ['--dev-bind', '/', '/', '--die-with-parent', '--bind', theirs, path('')];
    const serve = ['serve', '--listen', '127.0.0.1:0', '--store', join(folder, 'store'), '--allow-root', path('')];
    const flags = ['--isolation', 'process', '--processes', '1', '--log-level', 'silent', '--quiet'];
    const child = spawn('bwrap', [...disks, process.execPath, main, ...serve, ...flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    remote = connectSandbox({ url: String(line).trim(), cacheDir: join(folder, 'cache') });
    stop = async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    };
  });
  afterAll(async () => {
    await remote.close();
    await stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is read in place when its content is the same, and nothing is said', async () => {
    await write('same', 'same content', 'same content');
    expect(await remote.probe(path('same'))).toBe('in_place');
    expect(await read('same')).toMatchObject({ value: 'same conte', warnings: [] });
    expect(await remote.probe(path('same'))).toBe('in_place');
  });

  it("and was edited at one end in place, is the client's", async () => {
    await write('edited', 'new content', 'old content');
    expect(await remote.probe(path('edited'))).toBe('missing');
    expect(await read('edited')).toMatchObject({ value: 'new conten', warnings: [] });
    await write('edited', 'one of now!', 'one of now!');
    expect(await read('edited')).toMatchObject({ value: 'one of now', warnings: [] });
    await write('edited', 'two of now!', 'one of now!');
    expect(await read('edited')).toMatchObject({ value: 'two of now', warnings: [] });
  });

  it('and is too large to be compared, is read in place, and that is said', async () => {
    for (const [at, content] of [
      [path('large'), 'own'],
      [join(theirs, 'large'), 'old'],
    ] as const) {
      await writeFile(at, content);
      await truncate(at, 64 * 1024 ** 2 + 1);
      await appendFile(at, content);
      await utimes(at, time, time);
    }
    const { value, warnings } = await read('large');
    expect(value).toMatch(/^old/);
    expect(warnings).toEqual([
      {
        id: 'in-place',
        message: expect.stringMatching(/^attachments:large: read from the server's own disk.* not compared\.$/),
      },
    ]);
  });

  it('in a folder that is at both: that is said', async () => {
    for (const at of [path(''), theirs]) await utimes(at, time, time);
    const { warnings } = await remote.run({ script: `list_files('.').length`, scope: { root: path('') } });
    expect(warnings).toMatchObject([{ id: 'in-place', message: expect.stringMatching(/^the root: read from/) }]);
  });
});

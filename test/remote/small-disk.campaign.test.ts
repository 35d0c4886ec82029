import { createHash, randomBytes } from 'node:crypto';
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { connectSandbox, type RemoteSandbox } from '@mustard-sandbox/remote';
import { main } from '../cli/support.ts';
import { failure, otherToken, token } from './support.ts';

const MB = 1_000_000;
const hasBubblewrap =
  spawnSync('bwrap', ['--dev-bind', '/', '/', '--size', '1000000', '--tmpfs', '/mnt', 'true']).status === 0;

const folder = mkdtempSync(join(tmpdir(), 'remote-disk-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(bytes: number): { path: string; hash: string } {
  const content = randomBytes(bytes);
  const hash = createHash('sha256').update(content).digest('hex');
  const path = join(folder, hash);
  writeFileSync(path, content);
  return { path, hash };
}

/** A shell that has a disk of its own at $D, for as long as the test runs. */
class SmallDisk {
  readonly #shell: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  url = '';

  constructor(bytes: number) {
    const args = [
      '--dev-bind',
      '/',
      '/',
      '--die-with-parent',
      '--unshare-pid',
      '--size',
      String(bytes),
      '--tmpfs',
      '/mnt',
    ];
    const env = { ...process.env, D: '/mnt', NODE: process.execPath, MAIN: main };
    this.#shell = spawn('bwrap', [...args, 'sh'], { env });
    this.#shell.stderr.resume();
    this.#lines = createInterface(this.#shell.stdout)[Symbol.asyncIterator]();
    onTestFinished(() => void this.#shell.kill('SIGKILL'));
  }

  /** The first line that it prints. */
  async do(command: string): Promise<string> {
    this.#shell.stdin.write(`${command}\n`);
    return String((await this.#lines.next()).value);
  }

  /** Begins to serve, and says where. */
  async serve(...flags: string[]): Promise<void> {
    const more = ['--isolation process', '--processes 1', '--log-level error', ...flags].join(' ');
    await this.do(`printf 'one ${token}\\ntwo ${otherToken}\\n' > $D/tokens; echo`);
    this.url = await this.do(
      `$NODE $MAIN serve --listen 127.0.0.1:0 --store $D/store --token-file $D/tokens 2>> $D/log ${more} &`,
    );
    if (!this.url.startsWith('http:')) throw new Error(`It printed ${this.url}.`);
  }

  async fill(): Promise<void> {
    await this.do('head -c 1000000000 /dev/zero > $D/filler 2>/dev/null; echo');
  }

  connect(bearer = token): RemoteSandbox {
    const sandbox = connectSandbox({ url: this.url, token: bearer, cacheDir: join(folder, 'cache') });
    onTestFinished(() => sandbox.close());
    return sandbox;
  }

  async filesOf(place: string): Promise<number> {
    return Number(await this.do(`ls -A $D/store/${place} | wc -l`));
  }
}

const sizeOf = (path: string) => ({
  script: `file_stats('attachments:a').size`,
  scope: { attachments: [{ name: 'a', path }] },
});
const full = {
  code: 'invalid_request',
  message: expect.stringContaining("server's disk is full"),
  details: { status: 507 },
};

describe.skipIf(!hasBubblewrap)('a server whose disk is smaller than its store', () => {
  it('removes what was used longest ago, whosever it is, and goes on', async () => {
    const disk = new SmallDisk(24 * MB);
    await disk.serve();
    const [one, two] = [disk.connect(), disk.connect(otherToken)];
    const first = file(3 * MB);
    expect((await two.run(sizeOf(first.path))).value).toBe(3 * MB);
    for (let times = 0; times < 8; times++) expect((await one.run(sizeOf(file(5 * MB).path))).value).toBe(5 * MB);
    // It was the first token that filled the disk.
    expect(await two.probe(first.path)).toBe('stored');
    expect((await two.run(sizeOf(file(4 * MB).path))).value).toBe(4 * MB);
    // Small ones ride along, and take the same room.
    for (let times = 0; times < 60; times++) expect((await one.run(sizeOf(file(500_000).path))).value).toBe(500_000);
    expect(await disk.filesOf('one/partial')).toBe(0);
  });

  it('refuses what can never fit with 507, and removes nothing for it', async () => {
    const disk = new SmallDisk(24 * MB);
    await disk.serve();
    const sandbox = disk.connect();
    const small = file(3 * MB);
    await sandbox.run(sizeOf(small.path));
    expect(await failure(sandbox.run(sizeOf(file(40 * MB).path)))).toMatchObject(full);
    expect(await sandbox.probe(small.path)).toBe('stored');
    expect(await disk.filesOf('one/partial')).toBe(0);
  });
});

describe.skipIf(!hasBubblewrap)('a server whose disk others have filled', () => {
  it('says so with 507, leaves nothing half, runs what needs no disk, and recovers by itself', async () => {
    const disk = new SmallDisk(24 * MB);
    await disk.serve();
    await disk.fill();
    for (const bearer of [token, otherToken]) {
      const sandbox = disk.connect(bearer);
      expect((await sandbox.run({ script: '1 + 1' })).value).toBe(2);
      // Its result is too large for a message, and there is no room to keep it.
      expect((await sandbox.run({ script: `'x'.repeat(3000000)` })).value).toHaveLength(3_000_000);
      for (const bytes of [500_000, 5 * MB]) {
        expect(await failure(sandbox.run(sizeOf(file(bytes).path)))).toMatchObject(full);
      }
    }
    for (const place of ['one/blobs', 'one/partial', 'two/blobs', 'two/partial', 'one/artifacts']) {
      expect(await disk.filesOf(place)).toBe(0);
    }
    await disk.do('rm $D/filler; echo');
    expect((await disk.connect().run(sizeOf(file(5 * MB).path))).value).toBe(5 * MB);
  });

  it('while a file arrives: what has arrived is removed, and the next one is taken', async () => {
    const disk = new SmallDisk(24 * MB);
    await disk.serve();
    const sent: number[] = [];
    const large = file(12 * MB);
    const address = `${disk.url}/v1/blobs/${large.hash}`;
    const headers = { authorization: `Bearer ${token}`, 'upload-length': String(12 * MB) };
    const half = await fetch(address, {
      method: 'PATCH',
      headers: { ...headers, 'upload-offset': '0' },
      body: new Uint8Array(5 * MB),
    });
    expect(await half.json()).toEqual({ done: false, offset: 5 * MB });
    // The room that was there when the part began is gone when it is written.
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (sent.length === 1) await disk.fill();
        sent.push(MB);
        controller.enqueue(new Uint8Array(MB));
        if (sent.length === 7) controller.close();
      },
    });
    const rest = await fetch(address, {
      method: 'PATCH',
      headers: { ...headers, 'upload-offset': String(5 * MB) },
      body,
      duplex: 'half',
    });
    expect(rest.status).toBe(507);
    expect(await disk.filesOf('one/partial')).toBe(0);
    await disk.do('rm $D/filler; echo');
    const sandbox = disk.connect();
    expect((await sandbox.run(sizeOf(large.path))).value).toBe(12 * MB);
  });

  it('starts again with what others and servers before it left, and makes room of it', async () => {
    const disk = new SmallDisk(24 * MB);
    await disk.serve();
    await disk.connect().run(sizeOf(file(6 * MB).path));
    await disk.connect(otherToken).run(sizeOf(file(6 * MB).path));
    await disk.do('kill -9 $!; wait $!; echo');
    // A token that there is no more, and an upload that nobody went on with.
    await disk.do(
      'mkdir -p $D/store/gone/blobs $D/store/gone/partial; head -c 4000000 /dev/zero > $D/store/gone/blobs/x; echo',
    );
    await disk.do(`head -c 3000000 /dev/zero > $D/store/one/partial/${'a'.repeat(64)}; echo`);
    await disk.fill();
    await disk.serve();
    const sandbox = disk.connect();
    expect((await sandbox.run(sizeOf(file(10 * MB).path))).value).toBe(10 * MB);
    expect((await sandbox.run(sizeOf(file(12 * MB).path))).value).toBe(12 * MB);
  });

  it('does not need its log', async () => {
    const disk = new SmallDisk(24 * MB);
    await disk.serve('--log-level debug', '2> /dev/full');
    const sandbox = disk.connect();
    expect((await sandbox.run({ script: '1 + 1' })).value).toBe(2);
    expect((await disk.connect(otherToken).run({ script: '2 + 2' })).value).toBe(4);
  });
});

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FileCache } from '../../packages/fleet/src/files/cache.ts';
import { queueSealer } from '../../packages/fleet/src/wire/seal.ts';
import { folderStore } from '@mustard-sandbox/fleet';
import { noJail } from '../isolation/support.ts';
import { inject, jobBody } from './hostile.ts';
import { noRedis } from './redis.ts';
import { Fleet, folder, key } from './support.ts';

describe.skipIf(noRedis)('whoever has the queue', () => {
  test('reads no script, input, result, console line or name of a file', async () => {
    const fleet = await Fleet.start();
    const seen: string[] = [];
    const monitor = await fleet.server.client().monitor();
    onTestFinished(() => monitor.disconnect());
    monitor.on('monitor', (_time, args: string[]) => void seen.push(args.join(' ')));
    await fleet.worker();
    const path = join(folder(), 'file-secret.txt');
    writeFileSync(path, 'content-secret');
    const { value } = await fleet.client().run({
      script: `const made = 'script-' + 'secret'; console.log('console' + '-secret');
        [made, input, read_file('attachments:name-secret'), await call('argument-' + 'secret')]`,
      inputs: { input: 'input-secret' },
      scope: { attachments: [{ name: 'name-secret', path }] },
      hostFunctions: { call: () => Promise.resolve('answer-secret') },
      onConsole: () => {},
    });
    expect(value).toEqual(['script-secret', 'input-secret', 'content-secret', 'answer-secret']);
    const text = seen.join('\n');
    expect(text).toContain('mustard:acme');
    const decoded = [...text.matchAll(/[A-Za-z0-9+/]{40,}={0,2}/g)].map(([base64]) =>
      Buffer.from(base64, 'base64').toString('latin1'),
    );
    expect(text + decoded.join('\n')).not.toContain('secret');
  });

  test('has no job run that is not sealed for its tenant and its id, and none that names a path', async () => {
    const fleet = await Fleet.start();
    const other = [key()];
    const worker = await fleet.worker({
      tenants: [
        { name: 'acme', keys: fleet.keys },
        { name: 'other', keys: other },
      ],
    });
    const link = fleet.server.client();
    const client = randomUUID();
    const sealed = (
      keys: typeof other,
      tenant: string,
      job: string,
      more: object = {},
    ): { client: string; sealed: string } => {
      const bytes = Buffer.from(JSON.stringify({ ...jobBody(), ...more }));
      return { client, sealed: queueSealer(keys).seal(bytes, { tenant, job, what: 'job' }).toString('base64') };
    };
    const path = { name: 'passwd', path: '/etc/passwd' };
    const wrong: [id: string, data: unknown][] = [
      ['no-job', { hello: 1 }],
      ['noise', { client, sealed: randomBytes(300).toString('base64') }],
      ['strange', sealed([key()], 'acme', 'strange')],
      ['of-another', sealed(other, 'other', 'of-another')],
      ['replayed', sealed(fleet.keys, 'acme', 'first')],
      ['root', sealed(fleet.keys, 'acme', 'root', { scope: { root: '/etc' } })],
      ['path', sealed(fleet.keys, 'acme', 'path', { scope: { attachments: [path] } })],
      [
        'file',
        sealed(fleet.keys, 'acme', 'file', { files: [{ ...path, sha256: '../../etc/passwd', size: 1, mtimeMs: 0 }] }),
      ],
    ];
    for (const [id, data] of wrong) await inject(link, 'acme', id, data);
    await expect.poll(() => worker.stats().ended.refused).toBe(wrong.length);
    expect(worker.stats().ended).toEqual({ refused: wrong.length });
    await inject(link, 'acme', 'right', sealed(fleet.keys, 'acme', 'right'));
    await expect.poll(() => worker.stats().ended.answered).toBe(1);
  });

  test('gives no client an answer that is forged, or of another run', async () => {
    const fleet = await Fleet.start();
    const link = fleet.server.client();
    const sandbox = fleet.client({ maxWaitMs: 60_000 });
    const waiting = async (): Promise<{ id: string; replies: string; run: Promise<unknown> }> => {
      const run = sandbox.run({ script: '1' });
      run.catch(() => {});
      await expect.poll(() => link.zcard('mustard:acme:prioritized')).toBe(1);
      const [id = ''] = await link.zrange('mustard:acme:prioritized', 0, -1);
      const { client } = JSON.parse((await link.hget(`mustard:acme:${id}`, 'data')) as string) as { client: string };
      return { id, replies: `mustard:acme:fleet:replies:${client}`, run };
    };
    const answer = { version: 1, release: '0.1.0', queueMs: 0, sidecar: 1, console: [] };
    const outcome = {
      state: 'completed',
      value: { json: 'forged' },
      engine: 'quickjs',
      attachmentsRead: [],
      warnings: [],
    };
    const stats = { executionMs: 1, instructionsUsed: 1, heapBytesUsed: 1, hostCalls: 0, bytesRead: 0 };
    const bytes = Buffer.from(JSON.stringify({ ...answer, outcome: { ...outcome, ...stats } }));
    const forgeries = [
      () => randomBytes(200),
      (id: string) => queueSealer([key()]).seal(bytes, { tenant: 'acme', job: id, what: 'answer' }),
      () => queueSealer(fleet.keys).seal(bytes, { tenant: 'acme', job: 'another', what: 'answer' }),
      (id: string) => queueSealer(fleet.keys).seal(bytes, { tenant: 'acme', job: id, what: 'job' }),
    ];
    for (const forge of forgeries) {
      const { id, replies, run } = await waiting();
      await link.set(`mustard:acme:fleet:answer:${id}`, forge(id));
      await link.publish(replies, `answered ${id}`);
      await expect(run).rejects.toMatchObject({ code: 'protocol_error' });
      await expect.poll(() => link.zcard('mustard:acme:prioritized')).toBe(0);
    }
    const { id, replies, run } = await waiting();
    for (const noise of [
      '',
      'answered',
      'started',
      `started ${id} NaN ,`,
      `answered ${randomUUID()}`,
      'x'.repeat(1e6),
    ]) {
      await link.publish(replies, noise);
    }
    await fleet.worker();
    expect(await run).toMatchObject({ value: 1 });
  });

  test('cannot change a file: what is not as its hash says is not read', async () => {
    const fleet = await Fleet.start();
    const path = join(folder(), 'numbers');
    writeFileSync(path, '12345');
    const run = () =>
      fleet.client().run({ script: 'read_file("attachments:n")', scope: { attachments: [{ name: 'n', path }] } });
    const first = await fleet.worker();
    expect((await run()).value).toBe('12345');
    await first.close();
    const [part = ''] = readdirSync(join(fleet.files, 'acme'));
    const [name = ''] = readdirSync(join(fleet.files, 'acme', part));
    writeFileSync(join(fleet.files, 'acme', part, name), '54321');
    await fleet.worker();
    await expect(run()).rejects.toMatchObject({ code: 'sidecar_unavailable', message: /does not match its hash/ });
  });

  test.skipIf(noJail !== undefined)('runs in a jail that shows the files of its tenant alone', async () => {
    const fleet = await Fleet.start();
    const path = join(folder(), 'numbers');
    writeFileSync(path, '12345');
    await fleet.worker({ isolation: 'jail' });
    const scope = { attachments: [{ name: 'n', path }] };
    expect((await fleet.client().run({ script: 'read_file("attachments:n")', scope })).value).toBe('12345');
  });

  test("a worker whose clock is off does not start, and a client's does no harm", async () => {
    const fleet = await Fleet.start();
    const now = Date.now.bind(Date);
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
    onTestFinished(() => clock.mockRestore());
    await expect(fleet.worker()).rejects.toMatchObject({ code: 'sidecar_unavailable', message: /clock/ });
    const sandbox = fleet.client({ maxWaitMs: 60_000 });
    const run = sandbox.run({ script: '6 * 7' });
    await expect.poll(() => fleet.waiting()).toBe(1);
    clock.mockRestore();
    await fleet.worker();
    // By the client's own clock, the job would expire in an hour; by that of the queue, it waited some seconds.
    const { value, queueMs } = await run;
    expect([value, queueMs < 60_000]).toEqual([42, true]);
  });

  test('a client with the rights of its tenant alone runs scripts, and reaches nothing of others', async () => {
    const fleet = await Fleet.start();
    await fleet.worker();
    const link = fleet.server.client();
    const own = ['~mustard:acme:*', '~mustard:acme@*', '~mustard:backlog', '~mustard:wake', '&mustard:acme:*'];
    await link.call('ACL', ['SETUSER', 'acme', 'on', '>password', ...own, '+@all', '-@admin', '-@dangerous', '+info']);
    const connection = { path: fleet.server.url.slice('unix:'.length), username: 'acme', password: 'password' };
    expect((await fleet.client({ connection }).run({ script: '6 * 7' })).value).toBe(42);
    const attacker = link.duplicate({ username: 'acme', password: 'password' });
    onTestFinished(() => attacker.disconnect());
    await expect(attacker.get('mustard:other:fleet:answer:1')).rejects.toThrow('NOPERM');
    await expect(attacker.publish('mustard:other:fleet:cancels', '1')).rejects.toThrow('NOPERM');
    await expect(attacker.keys('*')).rejects.toThrow('NOPERM');
  });
});

describe('a cache of files', () => {
  test('stays within its bytes, keeps what is used, and takes nothing endless', async () => {
    const store = folderStore(folder());
    const names = await Promise.all(
      [0, 1, 2].map(async (n) => {
        const content = Buffer.alloc(100_000, n);
        const name = {
          tenant: 'acme',
          sha256: createHash('sha256').update(content).digest('hex'),
          size: content.length,
        };
        await store.put(name, Readable.from([content]));
        return name;
      }),
    );
    const cache = await FileCache.open(folder(), 250_000, store);
    const [a, b, c] = names as [(typeof names)[0], (typeof names)[0], (typeof names)[0]];
    const pinned = await cache.pin(a, { mtimeMs: 0 });
    (await cache.pin(b, { mtimeMs: 0 })).release();
    (await cache.pin(c, { mtimeMs: 0 })).release();
    expect(cache.bytes).toBeLessThanOrEqual(250_000);
    const again = await cache.pin(a, { mtimeMs: 0 });
    expect(again.path).toBe(pinned.path);
    await cache.pin(c, { mtimeMs: 0 });
    await expect(cache.pin(b, { mtimeMs: 0 })).rejects.toMatchObject({ code: 'sidecar_unavailable', message: /cache/ });
    pinned.release();
    again.release();
    const noise = function* (): Generator<Buffer> {
      for (;;) yield Buffer.alloc(1_000);
    };
    const endless = { ...store, get: () => Promise.resolve(Readable.from(noise())) };
    const other = await FileCache.open(folder(), 10_000_000, endless);
    await expect(other.pin(b, { mtimeMs: 0 })).rejects.toMatchObject({ message: /does not match its hash/ });
    expect(other.bytes).toBe(0);
  });
});

import { once } from 'node:events';
import { lstat, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectSandbox } from '@mustard-sandbox/remote';
import { serveSandboxes } from '@mustard-sandbox/remote/server';
import { failure, openStage, type Stage } from './support.ts';

const isWindows = process.platform === 'win32';
const largeScript = `'x'.repeat(2000)`;
const large = 'x'.repeat(2000);

describe.skipIf(isWindows)('a server at a Unix socket', () => {
  let folder: string;
  let stage: Stage;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'unix-'));
    stage = await openStage({ listen: `unix:${join(folder, 'socket')}`, spillBytes: 1000, tokens: [] });
  });
  afterAll(async () => {
    await stage.end();
    await rm(folder, { recursive: true, force: true });
  });

  it('runs scripts, without a token and without a warning, for this user alone', async () => {
    expect(stage.server.url).toBe(`unix:${join(folder, 'socket')}`);
    expect(stage.server.warnings).toEqual([]);
    expect((await lstat(join(folder, 'socket'))).mode & 0o777).toBe(0o600);
    expect((await stage.connect().run({ script: '1 + 1' })).value).toBe(2);
  });

  it('takes uploads', async () => {
    const path = join(stage.folder, 'files/upload');
    await writeFile(path, 'z'.repeat(3_000_000));
    const sandbox = stage.connect({ inlineBytes: 0 });
    const { value } = await sandbox.run({
      script: `file_stats('attachments:a').size`,
      scope: { attachments: [{ name: 'a', path }] },
    });
    expect(value).toBe(3_000_000);
  });

  it('has its artifacts read in place, and copied by no one', async () => {
    const cacheDir = join(stage.folder, 'in-place');
    const sandbox = stage.connect({ cacheDir });
    expect((await sandbox.run({ script: largeScript })).value).toBe(large);
    await expect(readdir(cacheDir)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('has a large profile read like a large result', async () => {
    const hostFunctions = { f: () => 1 };
    const script = 'for (let i = 0; i < 100; i++) f(i); 1';
    const { profile } = await stage.connect().run({ script, hostFunctions, profile: true });
    expect(profile?.calls).toHaveLength(100);
    const lying = await readdir(join(stage.folder, 'store/local/artifacts'));
    expect(lying.length).toBeGreaterThan(0);
  });

  it('that was killed leaves a socket, which the next one replaces', async () => {
    const path = join(folder, 'stale');
    const killed = createServer().listen(path);
    await once(killed, 'listening');
    const other = await mkdtemp(join(folder, 'store-'));
    const options = { listen: `unix:${path}`, logLevel: 'silent', store: other } as const;
    const { code, message } = await failure(serveSandboxes(options));
    expect([code, message]).toEqual([
      'invalid_request',
      `serveSandboxes(): cannot listen at unix:${path} (EADDRINUSE).`,
    ]);
    // What a kill leaves: a socket where nobody answers.
    await rename(path, `${path}.kept`);
    killed.close();
    await rename(`${path}.kept`, path);
    await using second = await serveSandboxes(options);
    expect(second.url).toBe(`unix:${path}`);
  });

  it('takes no file away that is no socket', async () => {
    const path = join(folder, 'a-file');
    await writeFile(path, 'mine');
    const options = { listen: `unix:${path}`, logLevel: 'silent', store: join(folder, 'store-file') } as const;
    expect(await failure(serveSandboxes(options))).toMatchObject({ code: 'invalid_request' });
    expect((await lstat(path)).size).toBe(4);
  });

  it('that is not there is sidecar_unavailable, with its address', async () => {
    const url = `unix:${join(folder, 'nobody')}`;
    const error = await failure(stage.connect({ url, connectTimeoutMs: 0 }).run({ script: '1' }));
    expect(error.code).toBe('sidecar_unavailable');
    expect(error.message).toContain(url);
  });

  it.each([
    ['unix:relative', 'must be absolute'],
    [`unix:/${'long/'.repeat(30)}`, '103 bytes'],
  ])('%s is no address', async (url, why) => {
    expect(() => connectSandbox({ url })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    expect((await failure(serveSandboxes({ listen: url }))).message).toContain(why);
  });

  it('has no TLS', async () => {
    const tls = { cert: 'x', key: 'x' };
    expect((await failure(serveSandboxes({ listen: 'unix:/tmp/x', tls }))).message).toContain('no TLS');
  });
});

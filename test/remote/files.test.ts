import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile, mkdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { RemoteSandbox, UploadProgress } from '@mustard-sandbox/remote';
import { failure, openStage, otherToken, token, type Stage } from './support.ts';

// Client and server are on one disk here; only what is under `shared` may be used in place.
let stage: Stage;
let remote: RemoteSandbox;
let uploads: UploadProgress[] = [];
let shared: string;
let own: string;

beforeAll(async () => {
  stage = await openStage({ allowRoots: [await makeFolder()] });
  own = join(stage.folder, 'files');
  remote = stage.connect({ inlineBytes: 1000, onUpload: (progress) => uploads.push(progress) });
});
afterAll(async () => {
  await stage.end();
  await rm(shared, { recursive: true, force: true });
});
beforeEach(() => {
  uploads = [];
});

async function makeFolder(): Promise<string> {
  const { mkdtemp, realpath } = await import('node:fs/promises');
  shared = await realpath(await mkdtemp('/tmp/remote-shared-'));
  return shared;
}

const read = (path: string, name = 'a') => ({
  script: `read_file('attachments:${name}')`,
  scope: { attachments: [{ name, path }] },
});
const size = (path: string) => ({
  script: `[file_stats('attachments:a').size, file_stats('attachments:a').mtime]`,
  scope: { attachments: [{ name: 'a', path }] },
});

function blobs(tenant: string): string[] {
  const folder = join(stage.folder, 'store', tenant, 'blobs');
  return existsSync(folder) ? readdirSync(folder) : [];
}

const hashOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

describe('attachments', () => {
  it('are used in place under an allowed root, and nothing is copied', async () => {
    const path = join(shared, 'log');
    await writeFile(path, 'in place');
    expect(await remote.probe(path)).toBe('in_place');
    const before = blobs('one').length;
    expect((await remote.run(read(path))).value).toBe('in place');
    expect(blobs('one')).toHaveLength(before);
  });

  it('ride along when they are small, and are kept by their content', async () => {
    const path = join(own, 'small');
    await writeFile(path, 'small content');
    expect(await remote.probe(path)).toBe('missing');
    expect((await remote.run(read(path))).value).toBe('small content');
    expect(blobs('one')).toContain(hashOf('small content'));
    expect(await remote.probe(path)).toBe('stored');
    const copy = join(own, 'copy');
    await writeFile(copy, 'small content');
    const before = blobs('one').length;
    expect((await remote.run(read(copy))).value).toBe('small content');
    expect(blobs('one')).toHaveLength(before);
    expect(uploads).toEqual([]);
  });

  it('are uploaded when they are large, once, with progress and their time', async () => {
    const path = join(own, 'large');
    await writeFile(path, randomBytes(3_000_000));
    await utimes(path, 1_700_000_000, 1_700_000_000);
    const both = await Promise.all([remote.run(size(path)), remote.run(size(path))]);
    expect(both.map(({ value }) => value)).toEqual([
      [3_000_000, '2023-11-14T22:13:20.000Z'],
      [3_000_000, '2023-11-14T22:13:20.000Z'],
    ]);
    expect(uploads.at(-1)).toEqual({ path, sent: 3_000_000, total: 3_000_000 });
    uploads = [];
    await remote.run(size(path));
    expect(uploads).toEqual([]);
  });

  it('are sent anew when they changed', async () => {
    const path = join(own, 'changing');
    for (const content of ['one', 'two', 'x'.repeat(5000), 'y'.repeat(5000), '']) {
      await writeFile(path, content);
      expect((await remote.run(read(path))).value).toBe(content);
    }
  });

  it('are refused here when they are not there, with the words of a local sandbox', async () => {
    expect(await failure(remote.run(read(join(own, 'nothing'))))).toMatchObject({
      code: 'invalid_request',
      message: 'scope.attachments: "a" is not there or cannot be reached (ENOENT).',
    });
    expect(await failure(remote.run(read(own)))).toMatchObject({
      message: 'scope.attachments: "a" is not a regular file.',
    });
    const link = join(own, 'link');
    await symlink(join(own, 'small'), link);
    const attachments = [{ name: 'a', path: link, noLinks: true }];
    expect(await failure(remote.run({ script: '1', scope: { attachments } }))).toMatchObject({
      code: 'invalid_request',
    });
  });

  it('lie within the roots of the client, where it has some', async () => {
    const bounded = stage.connect({ roots: [own] });
    const outside = join(shared, 'outside');
    await writeFile(outside, 'outside');
    expect(await failure(bounded.run(read(outside)))).toMatchObject({
      message: expect.stringContaining('lies outside the folders and files'),
    });
  });

  it('of another token are not there, even with their hash', async () => {
    const path = join(own, 'private');
    await writeFile(path, 'private content');
    await remote.run(read(path));
    const other = stage.connect({ token: otherToken, inlineBytes: 0 });
    await other.run({ script: '1' });
    const content = hashOf('private content');
    const answer = await http(other, `/v1/blobs/${content}`, { 'upload-length': '15' }, otherToken);
    expect(JSON.parse(answer.body)).toEqual({ done: false, offset: 0 });
    expect(blobs('two')).not.toContain(content);
    expect(blobs('one')).toContain(content);
  });

  it('ride nowhere else: what looks like a wrapper in the inputs is data', async () => {
    const path = join(shared, 'secret');
    await writeFile(path, 'secret');
    const { size: bytes, mtimeMs } = await stat(path);
    const wrapper = { path, size: bytes, mtimeMs, content: 'c2VjcmV0' };
    expect((await remote.run({ script: 'file', inputs: { file: wrapper } })).value).toEqual(wrapper);
  });
});

async function http(
  _: RemoteSandbox,
  path: string,
  headers: Record<string, string>,
  bearer = token,
  method = 'GET',
  body?: Buffer,
): Promise<{ status: number; body: string }> {
  const response = await fetch(stage.server.url + path, {
    method,
    headers: { authorization: `Bearer ${bearer}`, ...headers },
    ...(body !== undefined && { body: new Uint8Array(body) }),
  });
  return { status: response.status, body: await response.text() };
}

describe('uploads', () => {
  const send = (hash: string, total: number, offset: number, body: Buffer) =>
    http(
      remote,
      `/v1/blobs/${hash}`,
      { 'upload-length': String(total), 'upload-offset': String(offset) },
      token,
      'PATCH',
      body,
    );

  it('go on after each part, whatever the parts are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 5000 }),
        fc.array(fc.nat(5000), { maxLength: 4 }),
        async (bytes, cuts) => {
          const content = Buffer.from(bytes);
          const hash = hashOf(content);
          const places = [...new Set([0, ...cuts.filter((cut) => cut < content.length), content.length])];
          const sorted = places.sort((a, b) => a - b);
          for (const [index, start] of sorted.slice(0, -1).entries()) {
            const { status } = await send(hash, content.length, start, content.subarray(start, sorted[index + 1]));
            expect(status).toBe(200);
          }
          expect(await readFile(join(stage.folder, 'store/one/blobs', hash))).toEqual(content);
        },
      ),
      { numRuns: 15 },
    );
  });

  it.each([
    ['another content', (hash: string) => send(hash, 5, 0, Buffer.from('wrong')), 422],
    ['more than was announced', (hash: string) => send(hash, 3, 0, Buffer.from('right')), 413],
    ['a part that leaves a gap', (hash: string) => send(hash, 5, 2, Buffer.from('ght')), 409],
  ])('%s is refused, and leaves nothing', async (what, act, status) => {
    const hash = hashOf(`right ${what}`);
    expect((await act(hash)).status).toBe(status);
    expect(blobs('one')).not.toContain(hash);
  });

  const sendUnhashed = (id: string, total: number, offset: number, body: Buffer, sha256?: string) =>
    http(
      remote,
      `/v1/uploads/${id}`,
      {
        'upload-length': String(total),
        'upload-offset': String(offset),
        ...(sha256 !== undefined && { 'upload-sha256': sha256 }),
      },
      token,
      'PATCH',
      body,
    );

  it('whose hash comes last are there under their hash, and only with it', async () => {
    const content = randomBytes(1000);
    const [id, hash] = [hashOf('a name'), hashOf(content)];
    expect((await sendUnhashed(id, 1000, 0, content.subarray(0, 400))).body).toBe('{"done":false,"offset":400}');
    expect((await sendUnhashed(id, 1000, 400, content.subarray(400))).body).toBe('{"done":false,"offset":1000}');
    expect(blobs('one')).not.toContain(hash);
    expect((await sendUnhashed(id, 1000, 1000, Buffer.alloc(0), hash)).body).toBe('{"done":true,"offset":1000}');
    expect(await readFile(join(stage.folder, 'store/one/blobs', hash))).toEqual(content);
  });

  it('that go on after their end are refused, and the end stays', async () => {
    const content = randomBytes(1000);
    const [id, hash] = [hashOf('another name'), hashOf(content)];
    await sendUnhashed(id, 1000, 0, content);
    expect((await sendUnhashed(id, 1000, 1000, randomBytes(5), hash)).status).toBe(413);
    expect((await sendUnhashed(id, 1000, 1000, Buffer.alloc(0), hash)).body).toBe('{"done":true,"offset":1000}');
  });

  it('of several megabytes are whole, in parts of any length', async () => {
    const content = randomBytes(5_000_000);
    const hash = hashOf(content);
    const ends = [1_048_576, 1_048_577, 3_333_333, content.length];
    for (const [index, end] of ends.entries()) {
      const start = ends[index - 1] ?? 0;
      expect((await send(hash, content.length, start, content.subarray(start, end))).status).toBe(200);
    }
    expect(hashOf(await readFile(join(stage.folder, 'store/one/blobs', hash)))).toBe(hash);
  });

  it.each([
    ['the hash of something else', hashOf('else'), 422],
    ['what is no hash', '../../etc/passwd', 400],
  ])('whose hash is %s are refused', async (_, sha256, status) => {
    const content = randomBytes(10);
    expect((await sendUnhashed(hashOf(content), 10, 0, content, sha256)).status).toBe(status);
    expect(blobs('one')).not.toContain(hashOf(content));
  });

  it('that are never finished take no more room than the store has', async () => {
    const small = await openStage({ storeBytes: 10_000 });
    onTestFinished(() => small.end());
    const begin = (name: string): Promise<Response> =>
      fetch(`${small.server.url}/v1/uploads/${hashOf(name)}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${token}`, 'upload-length': '8000', 'upload-offset': '0' },
        body: new Uint8Array(6000),
      });
    for (const name of ['a', 'b', 'c']) expect((await begin(name)).status).toBe(200);
    expect(readdirSync(join(small.folder, 'store/one/partial'))).toEqual([`unhashed-${hashOf('c')}`]);
  });

  it('are written by one request at a time, however many come for the same one', async () => {
    const body = randomBytes(400_000);
    const hash = hashOf(body);
    const { port } = new URL(stage.server.url);
    const statuses: string[] = [];
    const begin = async (): Promise<Socket> => {
      const socket = connect(Number(port), '127.0.0.1');
      await once(socket, 'connect');
      socket.on('data', (data) => statuses.push(data.toString().slice(9, 12)));
      const head = [
        `PATCH /v1/blobs/${hash} HTTP/1.1`,
        'host: localhost',
        `authorization: Bearer ${token}`,
        `upload-length: ${body.length}`,
        'upload-offset: 0',
        `content-length: ${body.length}`,
      ];
      socket.on('error', () => {}).write(`${head.join('\r\n')}\r\n\r\n`);
      onTestFinished(() => void socket.destroy());
      return socket;
    };
    // The first one sends nothing. The others come at the same time, and wait for it to be stopped.
    const sockets = [await begin(), await begin(), await begin(), await begin()];
    for (const socket of sockets.slice(1)) socket.write(body);
    await expect.poll(() => blobs('one')).toContain(hash);
    // Those that had to stop were cut off, and told nothing that is wrong.
    await expect.poll(() => sockets.filter(({ destroyed }) => destroyed).length + statuses.length).toBe(4);
    expect(new Set(statuses)).toEqual(new Set(['200']));
    expect(hashOf(await readFile(join(stage.folder, 'store/one/blobs', hash)))).toBe(hash);
  });

  it('of nothing take room too, so that they do not take every name of the disk', async () => {
    const small = await openStage({ storeBytes: 50_000 });
    onTestFinished(() => small.end());
    const sandbox = small.connect();
    for (let n = 0; n < 20; n++) {
      const path = join(own, `tiny-${n}`);
      await writeFile(path, String(n));
      expect((await sandbox.run(read(path))).value).toBe(String(n));
    }
    expect(readdirSync(join(small.folder, 'store/one/blobs')).length).toBeLessThan(15);
  });

  it('of a file from before 1970 keep its time, and what is no time is refused', async () => {
    const path = join(own, 'old');
    await writeFile(path, 'old');
    await utimes(path, new Date('1950-02-03T04:05:06Z'), new Date('1950-02-03T04:05:06Z'));
    const { value } = await remote.run(size(path));
    expect(value).toEqual([3, '1950-02-03T04:05:06.000Z']);
    const { runRaw } = await import('./raw-client.ts');
    const wrapper = { path: '/a', size: 1, mtimeMs: 1e300, content: 'YQ==' };
    const answer = await runRaw(stage.server.url, { attachments: [{ name: 'a', path: wrapper }] });
    expect(answer).toMatchObject({ error: { data: { code: 'invalid_request' } } });
  });

  it('go on for a run that waits for them when the one that sends them is cancelled', async () => {
    const path = join(own, 'shared-upload');
    await writeFile(path, randomBytes(3_000_000));
    const abort = new AbortController();
    const sandbox = stage.connect({ inlineBytes: 0, onUpload: () => abort.abort() });
    const cancelled = failure(sandbox.run({ ...size(path), signal: abort.signal }));
    const other = sandbox.run(size(path));
    expect((await cancelled).code).toBe('cancelled');
    expect(((await other).value as unknown[])[0]).toBe(3_000_000);
  });

  it('another size for what has begun is refused', async () => {
    const hash = hashOf('ten bytes!');
    expect((await send(hash, 10, 0, Buffer.from('ten'))).status).toBe(200);
    expect((await send(hash, 11, 3, Buffer.from(' bytes!'))).status).toBe(409);
    expect((await send(hash, 10, 3, Buffer.from(' bytes!'))).body).toBe('{"done":true,"offset":10}');
  });

  it('a file that is swapped or grows while it is sent is never run with', async () => {
    const path = join(own, 'growing');
    await writeFile(path, randomBytes(2_000_000));
    const growing = stage.connect({
      inlineBytes: 0,
      onUpload: ({ sent }) => void (sent === 0 && appendFile(path, 'more')),
    });
    // Either the change was noticed, or it came after all was sent; never something in between.
    const outcome = await growing.run(size(path)).catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'invalid_request' });
    else expect((outcome as { value: unknown[] }).value[0]).toBe(2_000_000);
    const swapped = join(own, 'swapped');
    await writeFile(swapped, 'a'.repeat(500_000));
    await writeFile(`${swapped}.new`, 'b'.repeat(500_000));
    const run = stage
      .connect({ inlineBytes: 0, onUpload: ({ sent }) => void (sent === 0 && rename(`${swapped}.new`, swapped)) })
      .run({ ...read(swapped), script: `read_file('attachments:a', { length: 10 })` });
    const value = await run.then(({ value }) => value).catch(({ code }: { code: string }) => code);
    expect(['a'.repeat(10), 'invalid_request']).toContain(value);
  });
});

describe('folders', () => {
  const list = {
    script: `
      const seen = [];
      const walk = (dir) => {
        for (const path of list_files(dir)) {
          if (path.endsWith('/')) walk(path.slice(0, -1)); else seen.push(path);
        }
      };
      walk('.');
      [...seen].sort()`,
  };

  async function project(): Promise<string> {
    const folder = join(own, `project-${randomBytes(4).toString('hex')}`);
    await mkdir(join(folder, 'src/deep'), { recursive: true });
    await mkdir(join(folder, 'dist'));
    await mkdir(join(folder, '.git'));
    const files = {
      'README.md': 'read me',
      'src/a.ts': 'export {};',
      'src/deep/b.ts': 'export {};',
      'src/deep/kept.log': 'kept',
      'src/.gitignore': 'deep/*.tmp\n',
      'src/deep/x.tmp': 'ignored below',
      'dist/out.js': 'ignored',
      'debug.log': 'ignored',
      '.env': 'SECRET=1',
      '.git/HEAD': 'ref',
      '.gitignore': 'dist/\n*.log\n!kept.log\n',
    };
    for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content);
    await symlink('/etc/passwd', join(folder, 'link'));
    return folder;
  }

  it('are used in place under an allowed root', async () => {
    await mkdir(join(shared, 'folder'));
    await writeFile(join(shared, 'folder/x'), 'x');
    expect((await remote.run({ ...list, scope: { root: join(shared, 'folder') } })).value).toEqual(['x']);
  });

  it('are never sent unasked: 422, with what to do', async () => {
    expect(await failure(remote.run({ ...list, scope: { root: await project() } }))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('--upload-dir'),
      details: { status: 422 },
    });
  });

  it('are sent with what a deeper .gitignore takes in again, and without the rest of it', async () => {
    const root = await project();
    await mkdir(join(root, 'lib/made/x.log'), { recursive: true });
    await writeFile(join(root, '.gitignore'), 'dist/\nmade\n*.log\n*.tmp\n');
    await writeFile(join(root, 'lib/.gitignore'), '!made\n');
    await writeFile(join(root, 'lib/made/kept.ts'), 'kept');
    await writeFile(join(root, 'lib/made/y.log'), 'ignored');
    await writeFile(join(root, 'lib/made/x.log/z.ts'), 'ignored');
    const sending = stage.connect({ uploadDirectories: true });
    const script = `list_files('lib', { recursive: true })`;
    expect((await sending.run({ script, scope: { root } })).value).toEqual([
      'lib/.gitignore',
      'lib/made/',
      'lib/made/kept.ts',
    ]);
    await sending.close();
  });

  it('are sent when asked, without secrets, links and what .gitignore leaves out', async () => {
    const root = await project();
    const sending = stage.connect({ uploadDirectories: true });
    const expected = ['.gitignore', 'README.md', 'src/.gitignore', 'src/a.ts', 'src/deep/b.ts', 'src/deep/kept.log'];
    expect((await sending.run({ ...list, scope: { root } })).value).toEqual(expected);
    expect((await sending.run({ script: `read_file('src/a.ts')`, scope: { root } })).value).toBe('export {};');
    await writeFile(join(root, 'src/new.ts'), 'new');
    expect((await sending.run({ ...list, scope: { root } })).value).toEqual([...expected, 'src/new.ts'].sort());
    const secrets = ['SECRET=1', 'ignored', 'ref', 'ignored below'].map(hashOf);
    expect(blobs('one').filter((hash) => secrets.includes(hash))).toEqual([]);
  });

  it.each([
    ['a path upwards', ['../x']],
    ['an absolute path', ['/tmp/x']],
    ['a file as a folder', ['a', 'a/b']],
    ['a file twice', ['a', 'a']],
    ['an empty name', ['a//b']],
    ['a path of a thousand folders', [`${'a/'.repeat(1000)}b`]],
    ['more folders than a disk should have', Array.from({ length: 2000 }, (_, n) => `${n}/${'a/'.repeat(100)}b`)],
  ])('a manifest with %s makes nothing', async (_, paths) => {
    const content = hashOf('x');
    const files = paths.map((path) => ({ path, size: 1, mtimeMs: 0, sha256: content }));
    const manifest = Buffer.from(JSON.stringify({ version: 1, files }));
    const tree = hashOf(manifest);
    const put = (hash: string, body: Buffer) =>
      http(
        remote,
        `/v1/blobs/${hash}`,
        { 'upload-length': String(body.length), 'upload-offset': '0' },
        token,
        'PATCH',
        body,
      );
    await put(content, Buffer.from('x'));
    await put(tree, manifest);
    const { runRaw } = await import('./raw-client.ts');
    const answer = await runRaw(stage.server.url, { root: { path: '/x', mtimeMs: 0, folder: true, tree } });
    expect(answer).toMatchObject({ error: { data: { code: 'invalid_request', details: { status: 422 } } } });
    expect(readdirSync(join(stage.folder, 'store/one/trees')).filter((name) => name === tree)).toEqual([]);
  });
});

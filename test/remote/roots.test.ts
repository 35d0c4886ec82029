import { mkdir, mkdtemp, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { protocolVersion } from '@mustard-sandbox/protocol';
import { serveSandboxes, type ServerOptions } from '@mustard-sandbox/remote/server';
import { cli } from '../cli/support.ts';
import { askRaw, runRaw } from './raw-client.ts';
import { failure, openStage, token, type Stage } from './support.ts';

let folder: string;
let root: string;
let stage: Stage;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'remote-roots-')));
  root = join(folder, 'data');
  for (const name of ['data/app/.git', 'data/.ssh', 'data/.config/own', 'outside', 'home/sub/store']) {
    await mkdir(join(folder, name), { recursive: true });
  }
  for (const name of ['.env', 'app/.git/config', 'app/server.key', '.ssh/config', 'app/log', '.config/own/log']) {
    await writeFile(join(root, name), `content of ${name}`);
  }
  await writeFile(join(folder, 'outside/there'), 'outside');
  await symlink(join(root, '.env'), join(root, 'plain.txt'));
  await symlink(join(root, 'app/log'), join(root, '.env.local'));
  await symlink(join(folder, 'outside'), join(root, 'leads-out'));
  await writeFile(join(folder, 'home/tokens'), `one ${token}\n`);
  stage = await openStage({ allowRoots: [root, join(root, '.config/own')] });
});
afterAll(async () => {
  await stage.end();
  await rm(folder, { recursive: true, force: true });
});

describe('a root', () => {
  const refused = async (options: ServerOptions): Promise<string> =>
    (await failure(serveSandboxes({ listen: '127.0.0.1:0', logLevel: 'silent', ...options }))).message;

  it.each([
    ['is the store', 'home/sub/store', 'home/sub/store'],
    ['is above the store', 'home', 'home/sub/store'],
    ['is above a store that is not there yet', 'home', 'home/other/store'],
    ['is in the store', 'home/sub/store', 'home/sub'],
  ])('that %s is refused', async (_, allowed, store) => {
    expect(await refused({ allowRoots: [join(folder, allowed)], store: join(folder, store) })).toMatch(
      /allowRoots: .* and the store at .* hold one another, so clients could read what others have sent\. Allow narrower/,
    );
  });

  it('that is the whole disk is refused, and so is one by a link', async () => {
    expect(await refused({ allowRoots: ['/'], store: join(folder, 'home/sub/store') })).toContain('hold one another');
    await symlink(join(folder, 'home'), join(folder, 'link-to-home'));
    const [allowRoots, store] = [[join(folder, 'link-to-home')], join(folder, 'home/sub/store')];
    expect(await refused({ allowRoots, store })).toContain('hold one another');
    expect(await refused({ allowRoots: [join(folder, 'home')], store: join(folder, 'link-to-home/new') })).toContain(
      'hold one another',
    );
  });

  it('that holds a private file is refused', async () => {
    const privateFiles = [join(folder, 'home/tokens')];
    expect(await refused({ allowRoots: [join(folder, 'home')], store: join(folder, 'store'), privateFiles })).toMatch(
      /holds ".*tokens", which clients must not read/,
    );
  });

  it('that holds the file with the tokens, or the default store, is refused by the command', async () => {
    const [allowed, tokens] = [join(folder, 'home'), join(folder, 'home/tokens')];
    const withTokens = await cli(['serve', '--allow-root', allowed, '--token-file', tokens, '--store', `${folder}/s`]);
    expect(withTokens).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('tokens", which clients must') });
    const withStore = await cli(['serve', '--allow-root', allowed], {
      env: { XDG_CACHE_HOME: join(allowed, '.cache') },
    });
    expect(withStore).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('hold one another') });
    const missing = await cli(['serve', '--allow-root', join(folder, 'nowhere')]);
    expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--allow-root: there is no folder') });
  });
});

describe('the name of a token', () => {
  it.each(['..', '.', '.hidden', 'dot.', '-x', 'pid', 'PID', 'boot-id', 'a/b', ''])('is not %j', async (name) => {
    const options = { listen: '127.0.0.1:0', logLevel: 'silent', store: join(folder, 'names') } as const;
    expect(await failure(serveSandboxes({ ...options, tokens: [{ name, token }] }))).toMatchObject({
      code: 'invalid_request',
    });
  });

  it('is not that of another one in another case: a disk may take them for the same', async () => {
    const tokens = [
      { name: 'team', token },
      { name: 'Team', token: `${token}-2` },
    ];
    expect(await failure(serveSandboxes({ listen: '127.0.0.1:0', tokens }))).toMatchObject({
      message: expect.stringContaining('two have the same name'),
    });
  });
});

describe('what is below a root', () => {
  const asText = async (path: string): Promise<unknown> =>
    (await runRaw(stage.server.url, { attachments: [{ name: 'a', path }] }))['error'];
  const rootAsText = async (path: string): Promise<unknown> =>
    (await runRaw(stage.server.url, { root: path }))['error'];
  const asWrapper = async (path: string): Promise<unknown> => {
    const { size, mtimeMs } = await stat(path);
    return (await runRaw(stage.server.url, { attachments: [{ name: 'a', path: { path, size, mtimeMs } }] }))['error'];
  };

  it.each(['.env', 'app/.git/config', 'app/server.key', '.ssh/config', 'plain.txt', '.env.local'])(
    '%s is no attachment, neither by its path nor wrapped',
    async (name) => {
      expect(await asText(join(root, name))).toMatchObject({ message: expect.stringContaining('no script may read') });
      // Taken for a file that is not there: the client may send one of its own.
      expect(await asWrapper(join(root, name))).toMatchObject({ data: { details: { status: 404, missing: [{}] } } });
    },
  );

  it.each(['app/.git', '.ssh', '.config'])('%s is no root of a script', async (name) => {
    expect(await rootAsText(join(root, name))).toMatchObject({
      message: expect.stringContaining('no script may read'),
    });
    const { mtimeMs } = await stat(join(root, name));
    const wrapped = { path: join(root, name), mtimeMs, folder: true };
    expect((await runRaw(stage.server.url, { root: wrapped }))['error']).toMatchObject({
      data: { details: { status: 422 } },
    });
  });

  it('is given where it has an ordinary name, or where the host named the folder itself', async () => {
    expect(await asText(join(root, 'app/log'))).toBeUndefined();
    expect(await asWrapper(join(root, 'app/log'))).toBeUndefined();
    expect(await asText(join(root, '.config/own/log'))).toBeUndefined();
    expect(await rootAsText(join(root, 'app'))).toBeUndefined();
    expect(await rootAsText(join(root, '.config/own'))).toBeUndefined();
  });

  it('and what is not: the same words, so nobody learns which paths there are', async () => {
    const paths = [
      join(folder, 'outside/there'),
      join(folder, 'outside/not-there'),
      join(root, 'leads-out/there'),
      join(root, 'leads-out/not-there'),
      join(root, 'not-there'),
      join(root, '.env'),
      '/root/.ssh/id_rsa',
      '/proc/self/environ',
      'relative',
      '\0',
    ];
    for (const ask of [asText, rootAsText]) {
      const answers = new Set<string>();
      for (const path of paths) answers.add(JSON.stringify(await ask(path)));
      expect([...answers]).toHaveLength(1);
    }
    const initialize = { protocolVersion, client: { name: 'old', version: '1' } };
    const old = new Set<string>();
    for (const path of paths.slice(0, 5)) {
      const run = { runId: '1', script: '1', scope: { root: path }, limits: {} };
      const [, answer] = await askRaw(stage.server.url, 'mustard-sandbox.1', [
        ['initialize', initialize],
        ['sandbox/run', run],
      ]);
      old.add(JSON.stringify(answer?.['error']));
    }
    expect([...old]).toHaveLength(1);
  });

  it("of a file of the client with a secret name that is at the server too, the content is the client's", async () => {
    const path = join(root, 'app/server.key');
    const sandbox = stage.connect();
    const scope = { attachments: [{ name: 'a', path }] };
    expect(await sandbox.probe(path)).toBe('missing');
    expect((await sandbox.run({ script: `read_file('attachments:a')`, scope })).value).toBe(
      'content of app/server.key',
    );
    expect(await sandbox.probe(path)).toBe('stored');
  });
});

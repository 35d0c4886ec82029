import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createWorkspaces, type Workspace, type Workspaces } from '@mustard-sandbox/bash-tools';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { noJail, openWorkspaces, scratchFolder } from './support.ts';

const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'init.defaultBranch=main', ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });

function write(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const find = async (workspace: Workspace): Promise<string[]> =>
  (await workspace.run("find . -not -type d -not -path './.git/*' | sort")).stdout.split('\n').filter(Boolean);

describe.skipIf(noJail !== undefined)('workspaces', () => {
  let directory: string;
  let all: Workspaces;
  let source: string;
  beforeAll(async () => {
    directory = scratchFolder();
    all = await openWorkspaces({ directory });
    source = scratchFolder();
    write(source, {
      'src/a.js': 'a',
      'src/data/b.js': 'b',
      'data/big.csv': 'x',
      'node_modules/m/index.js': 'm',
      'sub/node_modules/m/index.js': 'm',
      'test-results/r.xml': 'r',
      '.next/x': 'x',
      '.env': 'TOKEN=1',
      '.env.example': 'TOKEN=',
      'secrets/prod.txt': 's',
      'sub/Secrets/api_token.txt': 's',
      'src/secrets.js': 'code',
      'deploy/id_ed25519': 'key',
      'certs/server.pem': 'pem',
      'untracked.js': 'u',
      '.gitignore': 'node_modules\n',
    });
    chmodSync(join(source, 'src/a.js'), 0o755);
    symlinkSync('a.js', join(source, 'src/link.js'));
    symlinkSync('/etc/passwd', join(source, 'src/out'));
    symlinkSync('../.env', join(source, 'src/innocent'));
    symlinkSync('../secrets/prod.txt', join(source, 'src/harmless'));
  });

  it('an upload of a folder leaves out what is made anew, secrets, and links that lead out', async () => {
    const workspace = await all.open({ seed: { upload: { path: source } } });
    expect(await find(workspace)).toEqual([
      './.gitignore',
      './src/a.js',
      './src/data/b.js',
      './src/link.js',
      './src/secrets.js',
      './untracked.js',
    ]);
    expect((await workspace.run('stat -c %a src/a.js; readlink src/link.js')).stdout).toBe('755\na.js');
    expect(workspace.seeded.leftOut).toEqual({ secrets: 6, links: 3, others: 0 });
  });

  it('globs say which files', async () => {
    const upload = { path: source, include: ['src/**', '.env'], exclude: ['src/data'] };
    expect(await find(await all.open({ seed: { upload } }))).toEqual([
      './src/a.js',
      './src/link.js',
      './src/secrets.js',
    ]);
  });

  it('of a repository only what git tracks is taken, and no program that its configuration names runs', async () => {
    const repository = scratchFolder();
    const proof = join(repository, 'hijacked');
    write(repository, {
      'tracked.js': 't',
      'new.js': 'n',
      '.env': 's',
      'secrets/a': 's',
      'evil.sh': `#!/bin/sh\ntouch ${proof}\n`,
    });
    chmodSync(join(repository, 'evil.sh'), 0o755);
    git(repository, 'init', '-q');
    git(repository, 'add', '-f', 'tracked.js', '.env', 'secrets/a');
    git(repository, 'commit', '-qm', 'x');
    git(repository, 'config', 'core.fsmonitor', join(repository, 'evil.sh'));
    git(repository, 'config', 'core.pager', join(repository, 'evil.sh'));
    const workspace = await all.open({ seed: { upload: { path: repository } } });
    expect(await find(workspace)).toEqual(['./tracked.js']);
    expect(existsSync(proof)).toBe(false);
  });

  it('a clone has the revision, and no trace of the credentials with which it was made', async () => {
    const origin = scratchFolder();
    write(origin, { 'a.txt': 'one' });
    git(origin, 'init', '-q');
    git(origin, 'add', '.');
    git(origin, 'commit', '-qm', 'one');
    git(origin, 'tag', 'v1');
    write(origin, { 'a.txt': 'two' });
    git(origin, 'commit', '-qam', 'two');
    git(origin, 'update-server-info');
    const password = 'hunter2-very-secret';
    const wanted = `Basic ${Buffer.from(`x-access-token:${password}`).toString('base64')}`;
    const server = createServer((request, response) => {
      const file = join(origin, '.git', (request.url ?? '').replace(/\?.*/, '').replace('/repo.git', ''));
      if (request.headers.authorization !== wanted) return void response.writeHead(401).end();
      if (!existsSync(file) || !statSync(file).isFile()) return void response.writeHead(404).end();
      response.end(readFileSync(file));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/repo.git`;
    const workspace = await all.open({ seed: { git: { url, revision: 'v1', credentials: { password } } } });
    expect((await workspace.run('cat a.txt; echo; git remote get-url origin; git status --short')).stdout).toBe(
      `one\n${url}`,
    );
    for (const secret of [password, wanted.slice(6)]) {
      expect(spawnSync('grep', ['-rlF', secret, directory], { encoding: 'utf8' }).stdout).toBe('');
    }
  });

  it('a folder of this machine is cloned, too, and a clone that fails leaves no workspace and says why', async () => {
    const origin = scratchFolder();
    write(origin, { 'a.txt': 'one' });
    git(origin, 'init', '-q');
    git(origin, 'add', '.');
    git(origin, 'commit', '-qm', 'one');
    const workspace = await all.open({ seed: { git: { url: origin } } });
    expect((await workspace.run('cat a.txt; echo; git branch --show-current')).stdout).toBe('one\nmain');
    const before = (await all.list()).length;
    const failing = { git: { url: origin, revision: 'nowhere' } };
    await expect(all.open({ seed: failing })).rejects.toMatchObject({
      code: 'seed_failed',
      message: expect.stringContaining('no revision nowhere') as string,
    });
    await expect(all.open({ seed: { upload: { path: '/nowhere' } } })).rejects.toMatchObject({ code: 'seed_failed' });
    expect((await all.list()).length).toBe(before);
    expect(readdirSync(directory).filter((name) => name.startsWith('.partial'))).toEqual([]);
  });

  it.each([
    ['both', { git: { url: '/x' }, upload: { path: '/x' } }],
    ['neither', {}],
    ['a URL with a password', { git: { url: 'https://user:pass@example.com/x' } }],
    ['an option for git', { git: { url: '--upload-pack=evil' } }],
    ['another one', { git: { url: '/x', revision: '--help' } }],
  ])('a seed that is refused: %s', async (_, seed) => {
    await expect(all.open({ seed })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('a clone by another protocol runs nothing', async () => {
    await expect(all.open({ seed: { git: { url: 'ext::sh -c touch% /tmp/pwned' } } })).rejects.toMatchObject({
      code: 'seed_failed',
    });
  });

  it('is found again by its id, after a restart too, and is filled anew by a reset', async () => {
    const upload = { path: source, include: ['src/a.js'] };
    const first = await createWorkspaces({ directory });
    const { id } = await first.open({ seed: { upload } });
    const workspace = await first.open({ id });
    await workspace.run('echo mine > b.txt');
    await first.close();
    const second = await createWorkspaces({ directory });
    onTestFinished(() => second.close());
    const again = await second.open({ id });
    expect(await find(again)).toEqual(['./b.txt', './src/a.js']);
    await again.reset();
    expect(await find(again)).toEqual(['./src/a.js']);
    await second.remove(id);
    await expect(second.open({ id })).rejects.toMatchObject({ code: 'not_found' });
    for (const wrong of ['../x', '', id.toUpperCase()]) {
      await expect(second.open({ id: wrong })).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('a temporary one leaves nothing', async () => {
    const before = readdirSync(directory).sort();
    const workspace = await all.open({ temporary: true });
    await workspace.run('echo x > a');
    await workspace.close();
    expect(readdirSync(directory).sort()).toEqual(before);
    await expect(workspace.run('true')).rejects.toMatchObject({ code: 'closed' });
  });

  it("a folder of the user's is used as it is, and never removed", async () => {
    const folder = scratchFolder();
    const workspace = await all.open({ folder });
    await workspace.run('echo x > a; echo y > /tmp/b');
    await expect(workspace.reset()).rejects.toMatchObject({ code: 'invalid_request' });
    await workspace.close();
    expect(readdirSync(folder)).toEqual(['a']);
  });

  it('an idle one is stopped, keeps its files, and starts again with the next command', async () => {
    const quick = await createWorkspaces({ directory: scratchFolder(), limits: { idleTtlMs: 1_000 } });
    onTestFinished(() => quick.close());
    const workspace = await quick.open();
    await workspace.run('echo 1 > kept; echo 2 > /tmp/cleared');
    const tmp = join(workspace.hostFolder as string, '../tmp');
    await expect.poll(() => readdirSync(tmp)).toEqual([]);
    expect((await workspace.run('cat kept')).stdout).toBe('1');
  });

  it('fifty chats share two places, in the order of asking, and one too many is told', async () => {
    const limits = { maxConcurrent: 2, maxQueue: 48 };
    const few = await createWorkspaces({ directory: scratchFolder(), backend: 'memory', limits });
    onTestFinished(() => few.close());
    const chats = await Promise.all(Array.from({ length: 4 }, () => few.open({ temporary: true })));
    const running = new Set<number>();
    let most = 0;
    const commands = Array.from({ length: 50 }, (_, n) =>
      (chats[n % chats.length] as Workspace)
        .run(`echo ${n}`, { onProgress: () => (most = Math.max(most, running.add(n).size)) })
        .finally(() => running.delete(n)),
    );
    await expect((chats[0] as Workspace).run('true')).rejects.toMatchObject({ code: 'queue_full' });
    const results = await Promise.all(commands);
    expect(results.map(({ stdout }) => stdout)).toEqual(Array.from({ length: 50 }, (_, n) => String(n)));
    // The end of one is heard of after the next has begun, which may happen to both.
    expect(most).toBeLessThanOrEqual(4);
  });

  it('who waits for too long, or gives up, is told, and the others go on', async () => {
    const limits = { maxConcurrent: 1, queueTimeoutMs: 300 };
    const one = await createWorkspaces({ directory: scratchFolder(), backend: 'memory', limits });
    onTestFinished(() => one.close());
    const workspace = await one.open();
    const controller = new AbortController();
    const long = workspace.run('sleep 60', { signal: controller.signal });
    await expect(workspace.run('true')).rejects.toMatchObject({ code: 'queue_timeout' });
    const given = new AbortController();
    const waiting = workspace.run('true', { signal: given.signal });
    given.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    controller.abort();
    await expect(long).rejects.toMatchObject({ code: 'cancelled' });
    expect((await workspace.run('echo on')).stdout).toBe('on');
  });

  it('a host that is killed leaves nothing running, and the next one removes what it left', async () => {
    const place = scratchFolder();
    const host = spawn(process.execPath, [fileURLToPath(new URL('fixtures/host.mjs', import.meta.url)), place], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(host.stdout, 'data');
    host.kill('SIGKILL');
    await once(host, 'exit');
    await expect
      .poll(() => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).includes(`${place}/`))
      .toBe(false);
    expect(readdirSync(place).some((name) => name.startsWith('.temporary'))).toBe(true);
    const next = await createWorkspaces({ directory: place });
    onTestFinished(() => next.close());
    expect(readdirSync(place).filter((name) => !name.startsWith('.state'))).toEqual(await next.list());
    const [id] = await next.list();
    expect((await (await next.open({ id: id as string })).run('cat kept')).stdout).toBe('kept');
  });
});

it('a backend that cannot run here is refused at once, with what is missing', async () => {
  const directory = scratchFolder();
  const missing = { directory, toolchain: ['/nowhere/at/all'] };
  await expect(createWorkspaces(missing)).rejects.toMatchObject({ code: 'backend_unavailable' });
  await expect(createWorkspaces({ directory, backend: 'memory', network: true })).rejects.toMatchObject({
    code: 'backend_unavailable',
    message: expect.stringContaining('no network') as string,
  });
  await expect(createWorkspaces({ directory, backend: 'host' as never })).rejects.toMatchObject({
    code: 'invalid_request',
  });
  expect(readdirSync(directory)).toEqual([]);
});

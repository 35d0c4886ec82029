// A repository and a server that come from a stranger: no program of theirs runs, and nothing goes elsewhere.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { compareWithRemote, readGit } from '../../../packages/desktop-agent/src/server/git/index.ts';
import { readAddress } from '../../../packages/desktop-agent/src/server/git/remote/addresses.ts';
import { execFileSync } from 'node:child_process';
import {
  filesOf,
  git,
  gitEnv,
  good,
  hideOwnGit,
  newApp,
  newFolder,
  put,
  removeFolders,
  state,
} from '../changes/apps.ts';
import { backend, newBare, program, serve } from './servers.ts';
import { agreedOf, base, commit, compare, head, options, pull, push, team } from './team.ts';

hideOwnGit();
afterAll(removeFolders);

const hookNames = [
  'pre-push',
  'reference-transaction',
  'post-merge',
  'post-checkout',
  'pre-commit',
  'commit-msg',
  'post-commit',
  'fsmonitor-watchman',
  'pre-receive',
  'update',
  'post-receive',
  'post-update',
  'push-to-checkout',
  'proc-receive',
  'pre-auto-gc',
];

/** A program that leaves a mark when it runs. */
function trap(): { path: string; mark: string } {
  const folder = newFolder();
  const [path, mark] = [join(folder, 'trap'), join(folder, 'ran')];
  program(path, `echo "$0 $@" >> ${mark}; exit 0`);
  return { path, mark };
}

function trapHooks(gitdir: string, { mark }: { mark: string }): void {
  for (const name of hookNames) program(join(gitdir, 'hooks', name), `echo ${name} >> ${mark}`);
}

function setAll(folder: string, settings: Record<string, string>): void {
  for (const [key, value] of Object.entries(settings)) git(folder, 'config', '--add', key, value);
}

/** Sets variables of this process until the test is over. */
function setEnvironment(values: Record<string, string>): void {
  const before = Object.fromEntries(Object.keys(values).map((name) => [name, process.env[name]]));
  onTestFinished(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  Object.assign(process.env, values);
}

describe('a hostile repository', () => {
  it.each(['http', 'file'])('runs no program by its settings and hooks, over %s', async (kind) => {
    const { app, bare, pushed } = team({ ...base, '.gitattributes': '*.txt merge=evil diff=evil\n' });
    const evil = trap();
    if (kind === 'http') git(app, 'remote', 'set-url', 'origin', `${await serve(backend(bare))}/shop.git`);
    pushed({ 'a.txt': 'ONE\ntwo\nthree\nfour\nfive\n' }, 'theirs');
    commit(app, { 'a.txt': 'one\ntwo\nthree\nfour\nFIVE\n' }, 'mine');
    trapHooks(join(app, '.git'), evil);
    setAll(app, {
      'core.fsmonitor': evil.path,
      'core.sshCommand': evil.path,
      'core.askPass': evil.path,
      'core.gitProxy': evil.path,
      'core.editor': evil.path,
      'core.alternateRefsCommand': evil.path,
      'credential.helper': `!${evil.path}`,
      'url.ext::sh -c touch% x .insteadOf': 'http',
      'url.ext::sh -c touch% y .pushInsteadOf': '/',
      'protocol.ext.allow': 'always',
      'protocol.allow': 'always',
      'remote.origin.uploadpack': evil.path,
      'remote.origin.receivepack': evil.path,
      'remote.origin.vcs': 'ext',
      'remote.origin.proxy': 'http://127.0.0.1:9',
      'http.proxy': 'http://127.0.0.1:9',
      'merge.evil.driver': evil.path,
      'diff.evil.textconv': evil.path,
      'filter.evil.smudge': evil.path,
      'gpg.program': evil.path,
      'commit.gpgSign': 'true',
      'push.gpgSign': 'true',
      'uploadpack.packObjectsHook': evil.path,
      'gc.auto': '1',
      'alias.fetch': `!${evil.path}`,
      'include.path': join(evil.path, '..', 'included'),
    });
    const { remotes } = await readGit(app, options());
    expect(remotes[0]?.url).toEqual(
      kind === 'file' ? bare : expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/shop\.git$/),
    );
    expect(await pull(app)).toMatchObject({ outcome: 'joined', merged: true });
    await push(app);
    expect(head(bare, 'main')).toBe(head(app));
    expect(existsSync(evil.mark)).toBe(false);
    // Whoever uses git itself there is caught.
    git(app, 'status');
    expect(existsSync(evil.mark)).toBe(true);
  });

  it('with a remote in a folder runs none of that folder', async () => {
    const { app, bare, pushed } = team();
    const evil = trap();
    pushed({ 'b.txt': 'theirs\n' }, 'theirs');
    trapHooks(bare, evil);
    setAll(bare, {
      'core.fsmonitor': evil.path,
      'core.hooksPath': join(bare, 'hooks'),
      'uploadpack.packObjectsHook': evil.path,
      'core.alternateRefsCommand': evil.path,
      'gc.auto': '1',
      'receive.autogc': 'true',
    });
    commit(app, { 'c.txt': 'c\n' }, 'mine');
    await pull(app);
    await push(app);
    expect(existsSync(evil.mark)).toBe(false);
    commit(app, { 'd.txt': 'd\n' }, 'mine');
    git(app, 'push', '-q');
    expect(readFileSync(evil.mark, 'utf8')).toMatch(/post-receive/);
  });

  it('with a checked out remote neither changes its files nor runs its filters', async () => {
    const { app, colleague } = team({ ...base, '.gitattributes': '*.txt filter=evil\n' });
    const evil = trap();
    setAll(colleague, { 'receive.denyCurrentBranch': 'updateInstead', 'filter.evil.smudge': evil.path });
    git(app, 'config', 'remote.origin.url', colleague);
    commit(app, { 'c.bin': 'c\n' }, 'mine');
    await expect(push(app)).rejects.toMatchObject({ code: 'denied' });
    expect(existsSync(evil.mark)).toBe(false);
    expect(existsSync(join(colleague, 'c.bin'))).toBe(false);
  });

  it('sends nothing that it borrows from other repositories', async () => {
    const { app } = team();
    put(app, { '.git/objects/info/alternates': `${join(newApp(), '.git/objects')}\n` });
    expect(await readGit(app, options())).toMatchObject({ remotes: [], noRemotes: expect.stringMatching(/borrows/) });
  });

  it('uses the settings of the person, and shows what becomes of an address', async () => {
    const { app, bare } = team();
    const origin = await serve(backend(bare));
    git(app, 'config', 'remote.origin.url', 'work:shop.git');
    const settings = join(newFolder({ config: `[url "${origin}/"]\n\tinsteadOf = work:\n` }), 'config');
    setEnvironment({ GIT_CONFIG_GLOBAL: settings });
    expect((await readGit(app, options())).remotes).toEqual([
      { name: 'origin', url: `${origin}/shop.git`, pushUrl: `${origin}/shop.git`, refused: null },
    ]);
    commit(app, { 'c.txt': 'c\n' }, 'mine');
    await push(app);
    expect(head(bare, 'main')).toBe(head(app));
  });

  it('pushes to where the person has other addresses for pushing', async () => {
    const { app, bare } = team();
    const other = newBare();
    const rules = `[url "${other}"]\n\tpushInsteadOf = ${bare}\n[url "/nowhere"]\n\tinsteadOf = ${bare}/longer\n`;
    setEnvironment({ GIT_CONFIG_GLOBAL: join(newFolder({ config: rules }), 'config') });
    expect((await readGit(app, options())).remotes[0]).toMatchObject({ url: bare, pushUrl: other });
    commit(app, { 'c.txt': 'c\n' }, 'mine');
    git(app, 'push', '-q', other, 'main~:refs/heads/main');
    const before = head(bare, 'main');
    await push(app);
    expect([head(other, 'main'), head(bare, 'main')]).toEqual([head(app), before]);
  });

  it('shows no password, and does not lose it either', async () => {
    const { app, bare } = team();
    const seen: (string | undefined)[] = [];
    const git = backend(bare);
    const origin = await serve((request, response) => {
      seen.push(request.headers.authorization);
      if (request.headers.authorization !== undefined) return git(request, response);
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    });
    const url = `${origin}/shop.git`;
    execFileSync('git', ['-C', app, 'config', 'remote.origin.url', url.replace('//', '//mira:s3cret@')], {
      env: gitEnv,
    });
    const state = await readGit(app, options());
    expect(JSON.stringify(state)).not.toMatch(/s3cret|mira/);
    expect(state.remotes[0]).toMatchObject({ url, refused: null });
    await compare(app);
    expect(seen).toContain(`Basic ${Buffer.from('mira:s3cret').toString('base64')}`);
  });
});

const refused = [
  '',
  'ext::sh -c touch% /tmp/x',
  'ext::sh',
  'fd::17',
  'https::sh',
  '-oProxyCommand=touch x',
  '--upload-pack=touch x',
  'ssh://-oProxyCommand=x/shop.git',
  'ssh://git@-oProxyCommand=x/shop.git',
  'ssh://-o@host/shop.git',
  'ssh://host/-shop.git',
  '-oProxyCommand=x@host:shop.git',
  'host:-shop.git',
  'host::shop.git',
  'git@host://x',
  'git://host/shop.git',
  'ftp://host/shop.git',
  'https://host\\@evil/shop.git',
  'https://ho st/x',
  'https://-host/x',
  'https://host/a\nb',
  'https://host/\u202Egnp',
  'file://host/share',
  'shop.git',
  './vendor/shop.git',
  '/srv/app',
  '/srv/app/.git',
  'file:///srv/app/vendor/x.git',
  '../app/x.git',
  `https://host/${'x'.repeat(2000)}`,
];
const allowed: [string, string, string][] = [
  ['https://host/shop.git', 'https', 'https://host/shop.git'],
  ['HTTPS://user:pass@host:8443/shop.git', 'https', 'https://host:8443/shop.git'],
  ['http://[::1]:80/x', 'http', 'http://[::1]:80/x'],
  ['ssh://git@host:22/shop.git', 'ssh', 'ssh://git@host:22/shop.git'],
  ['git@host:owner/shop.git', 'ssh', 'git@host:owner/shop.git'],
  ['work:shop.git', 'ssh', 'work:shop.git'],
  ['/srv/shop.git', 'file', '/srv/shop.git'],
  ['file:///srv/shop.git', 'file', '/srv/shop.git'],
  ['../shop.git', 'file', '/srv/shop.git'],
];

describe('addresses', () => {
  it.each(refused.map((url) => [url]))('%j is refused', (url) => {
    expect(typeof readAddress(url, '/srv/app')).toBe('string');
  });
  it.each(allowed)('%j is %s', (url, protocol, shown) => {
    expect(readAddress(url, '/srv/app')).toMatchObject({ protocol, shown });
  });
});

/** An app whose remote is a server of the test's own. */
async function against(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const { app, bare } = team();
  const origin = await serve(answer);
  git(app, 'remote', 'set-url', 'origin', `${origin}/shop.git`);
  return { app, bare, origin };
}

const line = (text: string): string => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;
/** What a server says that it has. */
function advertise(response: ServerResponse, refs: readonly [commit: string, name: string][]): void {
  response.setHeader('content-type', 'application/x-git-upload-pack-advertisement');
  const [first, ...rest] = refs.map(([commit, name]) => `${commit} ${name}`);
  const lines = [line(`${first}\0side-band-64k ofs-delta\n`), ...rest.map((ref) => line(`${ref}\n`))];
  response.end(`${line('# service=git-upload-pack\n')}0000${lines.join('')}0000`);
}

describe('a hostile server', () => {
  it('that asks for a password gets none, and the person is told what to do', async () => {
    const { app } = await against((_, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="Type your password"' }).end();
    });
    const told = { code: 'denied', message: expect.stringMatching(/credential helper/) };
    await expect(compare(app)).rejects.toMatchObject(told);
  });

  it.each(['file:///etc/passwd', 'ext::sh -c touch% /tmp/x', 'http://127.0.0.1:9/shop.git'])(
    'that redirects to %s is not followed',
    async (location) => {
      const { app } = await against((_, response) => void response.writeHead(302, { location }).end());
      const told = { code: 'denied', message: expect.stringMatching(/another address, which is not followed/) };
      await expect(compare(app)).rejects.toMatchObject(told);
    },
  );

  it('that is not there, or has no such repository, is told apart', async () => {
    const { app } = await against((_, response) => void response.writeHead(404).end());
    const missing = { code: 'not_found', message: expect.stringMatching(/no repository at this address/) };
    await expect(compare(app)).rejects.toMatchObject(missing);
    git(app, 'remote', 'set-url', 'origin', 'http://127.0.0.1:9/shop.git');
    const gone = { code: 'not_found', message: expect.stringMatching(/cannot be reached/) };
    await expect(compare(app)).rejects.toMatchObject(gone);
  });

  it('that stalls is left after a while, or at once by Cancel, and git is gone with it', async () => {
    let closed = 0;
    const { app } = await against((request) => void request.socket.on('close', () => (closed += 1)));
    const limits = { timeoutMs: 60_000, silenceMs: 1000 };
    const told = { code: 'limit_exceeded', message: expect.stringMatching(/sent nothing for 1 s/) };
    await expect(compareWithRemote(app, await agreedOf(app), options({ limits }))).rejects.toMatchObject(told);
    await expect.poll(() => closed).toBe(1);
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = compareWithRemote(app, await agreedOf(app), options({ signal }));
    setTimeout(() => controller.abort(new Error('Cancelled.')), 500);
    await expect(waiting).rejects.toThrow('Cancelled.');
    await expect.poll(() => closed).toBeGreaterThanOrEqual(1);
    expect(state(app)).toEqual(good);
  });

  it('that sends very much is left', async () => {
    const { app, bare, pushed } = team();
    git(app, 'remote', 'set-url', 'origin', `${await serve(backend(bare))}/shop.git`);
    const noise = Array.from({ length: 40_000 }, () => Math.random().toString(36)).join('\n');
    pushed({ 'big.txt': noise }, 'theirs');
    const limits = { timeoutMs: 60_000, silenceMs: 60_000, fetchedBytes: 100_000 };
    const told = { code: 'limit_exceeded', message: expect.stringMatching(/sends over 100000 bytes/) };
    await expect(compareWithRemote(app, await agreedOf(app), options({ limits }))).rejects.toMatchObject(told);
    expect(
      readdirSync(join(app, '.git/objects')).includes('pack') && readdirSync(join(app, '.git/objects/pack')),
    ).toEqual([]);
  });

  it.each([
    'refs/heads/main/../../../../../pwned',
    'refs/heads/../../config',
    '../../../pwned',
    'refs/heads/-x',
    'HEAD\u0000x',
  ])('that names the branch %j makes no file of that', async (name) => {
    const { app } = team();
    const commit = head(app);
    const origin = await serve((_, response) => {
      advertise(response, [
        [commit, 'HEAD'],
        [commit, 'refs/heads/main'],
        ['1'.repeat(40), name],
      ]);
    });
    git(app, 'remote', 'set-url', 'origin', `${origin}/shop.git`);
    const before = readFileSync(join(app, '.git/config'), 'utf8');
    const dataDir = newFolder();
    await compareWithRemote(app, await agreedOf(app), options({ dataDir })).catch((error: unknown) => {
      expect(error).toMatchObject({ name: 'AgentError' });
    });
    expect(readFileSync(join(app, '.git/config'), 'utf8')).toBe(before);
    expect(filesOf(dataDir)).toEqual({});
    expect(state(app)).toEqual(good);
  });

  it('that claims to have commits that it does not send is not believed', async () => {
    const { app } = team();
    const origin = await serve((request, response) => {
      if (request.method === 'GET') advertise(response, [['2'.repeat(40), 'refs/heads/main']]);
      else response.setHeader('content-type', 'application/x-git-upload-pack-result').end(line('NAK\n'));
    });
    git(app, 'remote', 'set-url', 'origin', `${origin}/shop.git`);
    await expect(compare(app)).rejects.toMatchObject({ code: 'denied' });
    expect(git(app, 'for-each-ref', 'refs/remotes/origin/main', '--format=%(objectname)').trim()).toBe(head(app));
  });

  it('that sends a folder .git among its files is refused by git', async () => {
    const { app, bare } = team();
    git(app, 'remote', 'set-url', 'origin', `${await serve(backend(bare))}/shop.git`);
    const write = (type: string, input: Buffer | string): string => {
      const args = ['-C', bare, 'hash-object', '-w', '-t', type, '--literally', '--stdin'];
      return execFileSync('git', args, { env: gitEnv, input, encoding: 'utf8' }).trim();
    };
    const hook = write('blob', '#!/bin/sh\n');
    const entry = (mode: string, name: string, oid: string): Buffer => {
      return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]);
    };
    const tree = write('tree', entry('40000', '.git', write('tree', entry('100755', 'post-merge', hook))));
    const who = 'x <x@example.org> 1700000000 +0000';
    const evil = write('commit', `tree ${tree}\nparent ${head(app)}\nauthor ${who}\ncommitter ${who}\n\nevil\n`);
    git(bare, 'update-ref', 'refs/heads/main', evil);
    await expect(compare(app)).rejects.toMatchObject({ code: 'denied' });
    expect(existsSync(join(app, '.git/post-merge'))).toBe(false);
    expect(state(app)).toEqual(good);
  });

  it('that prints escapes and passwords into its errors is shown without them', async () => {
    const { app, bare } = team();
    git(app, 'remote', 'set-url', 'origin', `${await serve(backend(bare))}/shop.git`);
    program(
      join(bare, 'hooks/pre-receive'),
      String.raw`printf '\033[31mred\033[0m \342\200\256x http://a:b@c/' >&2; exit 1`,
    );
    commit(app, { 'c.txt': 'c\n' }, 'mine');
    const error = await push(app).catch((error: Error) => error.message);
    expect(error).toMatch(/red x http:\/\/c\//);
    expect(error).not.toMatch(/\p{Cc}|\u202E|a:b/u);
  });
});

describe('ssh', () => {
  /** A program in the place of ssh, which does on this machine what it is to do on the other. */
  function fakeSsh(then: string): string {
    const folder = newFolder();
    program(join(folder, 'ssh'), `printf '%s\\n' "$@" >> ${folder}/arguments; ${then}`);
    setEnvironment({ PATH: `${folder}:${process.env['PATH']}` });
    return join(folder, 'arguments');
  }
  const onServer = 'for last; do :; done; exec sh -c "$last"';

  it('is asked to ask nothing, and works', async () => {
    const { app, bare } = team();
    const args = fakeSsh(onServer);
    git(app, 'remote', 'set-url', 'origin', `git@example.org:${bare}`);
    commit(app, { 'c.txt': 'c\n' }, 'mine');
    await push(app);
    expect(head(bare, 'main')).toBe(head(app));
    expect(readFileSync(args, 'utf8')).toMatch(/^-o\nBatchMode=yes\n/);
    expect(readFileSync(args, 'utf8')).toMatch(/\ngit@example\.org\ngit-(?:upload|receive)-pack '/);
  });

  it('uses the command of the person', async () => {
    const { app, bare } = team();
    const args = fakeSsh(onServer);
    setEnvironment({ GIT_SSH_COMMAND: 'ssh -i "my key"' });
    git(app, 'remote', 'set-url', 'origin', `git@example.org:${bare}`);
    await compare(app);
    expect(readFileSync(args, 'utf8')).toMatch(/^-i\nmy key\n-o\nBatchMode=yes\n/);
  });

  it.each([
    ['git@example.org: Permission denied (publickey).', /ssh-add/],
    ['Host key verification failed.', /does not know this server/],
    ['ssh: Could not resolve hostname example.org: Name or service not known', /cannot be reached/],
  ])('that says %j is explained', async (said, told) => {
    const { app } = team();
    fakeSsh(`echo '${said}' >&2; exit 255`);
    git(app, 'remote', 'set-url', 'origin', 'git@example.org:shop.git');
    await expect(compare(app)).rejects.toMatchObject({ message: expect.stringMatching(told) });
  });

  it('has no terminal to ask on', async () => {
    const { app } = team();
    const args = fakeSsh('(: < /dev/tty) 2>/dev/null && echo TTY >> ${0%/*}/arguments; exit 255');
    git(app, 'remote', 'set-url', 'origin', 'git@example.org:shop.git');
    await expect(compare(app)).rejects.toMatchObject({ name: 'AgentError' });
    expect(readFileSync(args, 'utf8')).not.toMatch(/TTY/);
  });
});

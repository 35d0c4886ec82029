import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { runCommand } from '../../../packages/desktop-agent/src/server/command/run.ts';
import { replaced } from '../../cli/in-process.ts';
import { isFull } from '../../full.ts';
import { Peer, tempFolder } from '../support.ts';

const bin = new URL('../../../packages/desktop-agent/bin/mustard-agent.js', import.meta.url).pathname;

interface Running {
  child: ChildProcess;
  /** All that was printed so far. */
  output: () => string;
  url: () => Promise<string>;
  ended: Promise<{ code: number | null; output: string; errors: string }>;
}

function run(args: string[], env: NodeJS.ProcessEnv = {}): Running {
  const child = spawn(process.execPath, [bin, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '', WSL_DISTRO_NAME: '', ...env },
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output, errors }));
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = async (): Promise<string> => {
    await vi.waitUntil(() => output.includes('Ctrl-C') || child.exitCode !== null);
    return /http:\S+/.exec(output)?.[0] ?? `nothing; ${errors}`;
  };
  return { child, output: () => output, url, ended };
}

/** In this process, for what ends before anything is started. */
async function runHere(args: string[]): Promise<{ code: number; output: string; errors: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  using _streams = replaced(process, { stdout, stderr });
  const code = await runCommand(args);
  return { code, output: String(stdout.read() ?? ''), errors: String(stderr.read() ?? '') };
}

describe('mustard-agent', () => {
  test('explains itself', async () => {
    const { code, output, errors } = await run(['--help']).ended;
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    for (const word of ['--port', '--data', '--no-open', '--version', '[folder]', 'Exit codes'])
      expect(output).toContain(word);
    expect((await runHere(['--version'])).output).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each([
    ['a folder that is not there', ['/no/such/folder'], 'no folder /no/such/folder'],
    ['a file', [bin], 'is a file'],
    ['the whole disk', ['/'], 'whole disk'],
    ['a port that is none', ['--port', '99999'], 'from 0 to 65535'],
    ['an unknown option', ['--prot', '1'], '--prot'],
    ['two folders', ['.', '.'], 'too many arguments'],
  ])('refuses %s before it starts', async (_, args, message) => {
    const data = join(await tempFolder(), 'data');
    const { code, output, errors } = await runHere(['--data', data, ...args]);
    expect(errors).toContain(message);
    expect({ code, output }).toEqual({ code: 2, output: '' });
    await expect(stat(data)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('ends with the code of what it refused', async () => {
    const { code, output, errors } = await run(['--prot', '1']).ended;
    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(errors).toContain('--prot');
  });

  test('starts, shows the folder it was given, and ends with Ctrl-C', async () => {
    const folder = await tempFolder();
    const data = join(folder, 'data');
    const app = join(folder, 'my app');
    await mkdir(app);
    const { child, url, ended } = run(['--data', data, '--no-open', app]);
    const { origin, hash } = new URL(await url());
    const fragment = new URLSearchParams(hash.slice(1));
    const peer = new Peer(origin);
    await once(peer.socket, 'open');
    peer.send({ type: 'hello', token: fragment.get('token') });
    expect(await peer.ask('list-apps', {})).toMatchObject([{ id: fragment.get('app'), path: app }]);
    expect((await stat(data)).mode & 0o777).toBe(0o700);
    child.kill('SIGINT');
    expect(await peer.ended).toBe(1001);
    expect(await ended).toMatchObject({ code: 0, errors: '' });
    expect(await readdir(data)).not.toContain('running.json');
    const log = await readFile(join(data, 'agent.log'), 'utf8');
    expect(log).not.toContain(fragment.get('token'));
  });

  test('is one for a data folder: the second start opens the first one, with its folder; its port is taken', async () => {
    const folder = await tempFolder();
    const data = join(folder, 'data');
    const first = run(['--data', data, '--no-open']);
    const { origin, hash } = new URL(await first.url());
    const token = new URLSearchParams(hash.slice(1)).get('token') ?? '';
    const second = await run(['--data', data, '--no-open', folder]).ended;
    expect(second).toMatchObject({ code: 0, errors: '' });
    expect(second.output).toContain(origin);
    expect(second.output).not.toContain(token);
    const ticket = new URLSearchParams(/#(\S+)/.exec(second.output)?.[1]);
    const peer = new Peer(origin);
    await once(peer.socket, 'open');
    peer.send({ type: 'hello', ticket: ticket.get('ticket') });
    expect(await peer.ask('list-apps', {})).toMatchObject([{ id: ticket.get('app'), path: folder }]);
    const { port } = new URL(origin);
    const other = await run(['--data', join(folder, 'b'), '--no-open', '--port', port]).ended;
    expect(other).toMatchObject({ code: 3, errors: expect.stringContaining(`Port ${port} is taken`) as string });
    first.child.kill('SIGTERM');
    expect(await first.ended).toMatchObject({ code: 0 });
  });

  test('of many that start at once is one; when that is killed the next takes over', async () => {
    const data = join(await tempFolder(), 'data');
    const all = Array.from({ length: isFull ? 4 : 3 }, () => run(['--data', data, '--no-open']));
    const first = await Promise.race(
      all.map(async (one) => ((await one.url()).includes('token') ? one : new Promise<Running>(() => {}))),
    );
    const others = await Promise.all(all.filter((one) => one !== first).map(({ ended }) => ended));
    const { origin } = new URL(await first.url());
    for (const { code, output } of others)
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(origin) });
    expect(first.child.exitCode).toBeNull();

    first.child.kill('SIGKILL');
    await first.ended;
    const next = run(['--data', data, '--no-open']);
    expect(await next.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=/);
  });

  test('says what is wrong with a damaged database, and begins a new one only when told to', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'agent.db'), 'no database\n'.repeat(500));
    const refused = await run(['--data', folder, '--no-open']).ended;
    expect(refused.code).toBe(3);
    expect(refused.errors).toContain('--new-database');
    expect(await readFile(join(folder, 'agent.db'), 'utf8')).toMatch(/^no database/);
    const { url, output } = run(['--data', folder, '--no-open', '--new-database']);
    expect(await url()).toMatch(/^http/);
    const kept = /kept as (\S+)\./.exec(output())?.[1] ?? '';
    expect(await readFile(kept, 'utf8')).toMatch(/^no database/);
  });

  test.skipIf(process.platform !== 'linux')('starts the browser with a ticket, not with the token', async () => {
    const folder = await tempFolder();
    await writeFile(
      join(folder, 'xdg-open'),
      `#!/bin/sh\nprintf %s "$1" > "${folder}/opened.part"\nmv "${folder}/opened.part" "${folder}/opened"\n`,
    );
    await chmod(join(folder, 'xdg-open'), 0o755);
    const { url } = run(['--data', join(folder, 'data')], {
      DISPLAY: ':0',
      PATH: `${folder}${delimiter}${process.env['PATH']}`,
    });
    const { origin, hash } = new URL(await url());
    const opened = await vi.waitFor(() => readFile(join(folder, 'opened'), 'utf8'));
    expect(opened).toMatch(new RegExp(`^${origin}/#ticket=[\\w-]{43}$`));
    expect(opened).not.toContain(new URLSearchParams(hash.slice(1)).get('token'));
  });

  test.skipIf(process.platform !== 'linux')('opens the folder of attachments, or says where it is', async () => {
    const folder = await tempFolder();
    const xdgOpen = join(folder, 'xdg-open');
    const write = `printf %s "$1" > "${folder}/opened.part"\nmv "${folder}/opened.part" "${folder}/opened"\n`;
    await writeFile(xdgOpen, `#!/bin/sh\n${write}`);
    await chmod(xdgOpen, 0o755);
    const data = join(folder, 'my data #1');
    const PATH = `${folder}${delimiter}${process.env['PATH']}`;
    const { url } = run(['--data', data, '--no-open'], { DISPLAY: ':0', PATH });
    await (await Peer.ready({ url: await url() })).ask('open-attachments', {});
    const opened = await vi.waitFor(() => readFile(join(folder, 'opened'), 'utf8'));
    expect(fileURLToPath(opened)).toBe(join(data, 'media'));
    const other = run(['--data', join(folder, 'other'), '--no-open'], { PATH });
    const { error } = await (await Peer.ready({ url: await other.url() })).request('open-attachments', {});
    expect(error).toMatchObject({ code: 'not_found' });
    expect(error?.message).toContain(join(folder, 'other', 'media'));
  });
});

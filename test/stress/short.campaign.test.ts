import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { noJail } from '../isolation/support.ts';
import { postgresPrograms } from '../../stress/postgres.mjs';

/** Short versions of `npm run stress`, as users start them. Times are not judged: the machine may be shared. */
const index = fileURLToPath(new URL('../../stress/index.mjs', import.meta.url));

/** A command says how far it is. This long without a word, it hangs; how long it takes in all is the machine's affair. */
const silenceMs = 120_000;
const timeout = 1_800_000;

async function stress(...args: string[]) {
  const command = execa(process.execPath, [index, ...args], { reject: false });
  const hangs = setTimeout(() => command.kill('SIGINT'), silenceMs);
  for (const stream of [command.stdout, command.stderr]) stream.on('data', () => hangs.refresh());
  return await command.finally(() => clearTimeout(hangs));
}

/** The figures in the last line, of a command that must hold. */
async function figuresOf(...args: string[]): Promise<Record<string, unknown>> {
  const { exitCode, stdout, stderr } = await stress(...args, '--no-speed');
  expect(exitCode, `${stderr}\n${stdout}`).toBe(0);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>;
}

/** The judge of `agent-kills`. */
const hasSqlite = spawnSync('sqlite3', ['--version']).status === 0;

/** What a fleet has its queue in. */
const queues = [
  ...(spawnSync('redis-server', ['--version']).status === 0 ? ['redis'] : []),
  ...(postgresPrograms === undefined ? [] : ['postgres']),
];

const isolations = noJail === undefined ? ['process', 'jail'] : ['process'];

describe.each(isolations)('stress, isolation %s', { timeout }, (isolation) => {
  test('hostile: every script of the corpus is contained by both engines', async () => {
    // In the jail the same happens to one script after another as without it.
    const which = isolation === 'jail' ? ['--only-crowded'] : [];
    const figures = await figuresOf('hostile', '--timeout', '500', '--isolation', isolation, ...which);
    const contained = { contained: figures['cases'], notContained: [], unexpected: [] };
    const passes = { ...(isolation === 'process' && { sequential: contained }), concurrent: contained };
    expect(figures).toMatchObject({ ok: true, missed: [], engines: { quickjs: passes, mustardscript: passes } });
    expect(figures['cases']).toBeGreaterThanOrEqual(44);
  });

  test('chaos: no call is lost, no host function is called twice, nothing is left', async () => {
    const figures = await figuresOf('chaos', '--runs', '200', '--isolation', isolation);
    const none = { lost: 0, double: 0, orphans: 0, untyped: [], wrong: [], handlesLeft: [], unhandled: [] };
    expect(figures).toMatchObject({ ok: true, missed: [], ...none, runs: 200, rightAtTheEnd: 10 });
  });

  test('orphans: no sidecar outlives its host', async () => {
    const figures = await figuresOf('orphans', '--times', '8', '--isolation', isolation);
    expect(figures).toMatchObject({ ok: true, missed: [], times: 8, orphans: 0, unrecorded: 0 });
  });
});

describe('stress', { timeout }, () => {
  test('runs: no call is made twice, no forged snapshot is opened, and what waits goes on', async () => {
    const figures = await figuresOf('runs', '--times', '4', '--forged', '100', '--waiting', '50');
    expect(figures).toMatchObject({ ok: true, missed: [], waiting: { count: 50, resumeMs: { n: 50 } } });
  });

  test.each(queues)('fleet: no run is lost, and no host function is called twice, with %s', async (queue) => {
    const how = [
      '--runs',
      // So many that all kills come before the last run ends.
      '400',
      '--workers',
      '2',
      '--kills',
      '2',
      '--restarts',
      '1',
      '--only',
      'kills',
      '--queue',
      queue,
    ];
    const { kills: figures, ...all } = await figuresOf('fleet', ...how);
    const none = { lost: 0, wrong: 0, twice: 0 };
    expect(all).toMatchObject({ ok: true, missed: [] });
    expect(figures).toMatchObject({ runs: 400, killed: { workers: 2, queue: 1 }, ...none });
  });

  test('soak: one sidecar serves throughout, and opens nothing that it does not close', async () => {
    const figures = await figuresOf('soak', '--runs', '500');
    expect(figures).toMatchObject({ ok: true, missed: [], wrong: 0, spawns: 1 });
  });

  test('stalls: a host that stands still loses no result', async () => {
    expect(await figuresOf('stalls', '--rounds', '1')).toMatchObject({ ok: true, missed: [], rounds: 1 });
  });

  test('leftovers: what a script leaves behind harms no other', async () => {
    expect(await figuresOf('leftovers', '--rounds', '2')).toMatchObject({ ok: true, missed: [], wrong: 0 });
  });

  test('files: each built-in is through with each hostile file', async () => {
    const figures = await figuresOf('files', '--megabytes', '8', '--lines', '100000', '--timeout', '2000');
    expect(figures).toMatchObject({ ok: true, missed: [], notContained: [], contained: figures['cells'] });
    expect(figures['cells']).toBeGreaterThan(90);
  });

  test('recovery: the run after a crash is answered, and a hanging script ends', async () => {
    const figures = await figuresOf('recovery', '--rounds', '4');
    expect(figures).toMatchObject({ ok: true, missed: [], withSpare: { crash: { n: 4 }, kill: { n: 4 } } });
  });

  test('agent: a change that is cut off leaves the old files or the new ones', async () => {
    expect(await figuresOf('agent', '--times', '8')).toMatchObject({ ok: true, missed: [], times: 8, torn: 0 });
  });

  test.skipIf(!hasSqlite)('agent-kills: a program that is killed has nothing torn and nothing lost', async () => {
    expect(await figuresOf('agent-kills', '--times', '2')).toMatchObject({ ok: true, missed: [], times: 2, torn: 0 });
  });

  test('agent-memory: a session of chats that are made, answered and deleted goes on', async () => {
    const figures = await figuresOf('agent-memory', '--seconds', '10');
    expect(figures).toMatchObject({ ok: true, missed: [] });
    expect(figures['chats']).toBeGreaterThan(0);
  });

  test('remote-kills: nothing is half there, ran twice or is left', async () => {
    const figures = await figuresOf('remote-kills', '--kills', '12', '--lanes', '2');
    expect(figures).toMatchObject({ ok: true, missed: [], kills: 12 });
  });

  test('remote-link: what comes over a bad link is right', async () => {
    const figures = await figuresOf('remote-link', '--rounds', '6', '--megabytes', '8');
    expect(figures).toMatchObject({ ok: true, missed: [], rounds: 6 });
  });

  test.skipIf(noJail !== undefined)('bash: hosts that are killed leave nothing running', async () => {
    const figures = await figuresOf('bash', '--times', '4');
    expect(figures).toMatchObject({ ok: true, missed: [], times: 4, processesLeft: 0, torn: 0 });
  });

  test('what it does not know ends with exit code 2 and says what there is', async () => {
    for (const args of [
      ['chaos', '--corpus', 'x'],
      ['chaos', '--runs', 'many'],
      ['chaos', '--isolation', 'none'],
      ['unknown'],
      ['soak', 'extra'],
    ]) {
      const { exitCode, stdout, stderr } = await stress(...args);
      expect({ args, exitCode, stdout }).toEqual({ args, exitCode: 2, stdout: '' });
      expect(stderr).toContain('npm run stress -- COMMAND');
    }
    const help = await stress('--help');
    expect(help).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('recovery') });
  });

  test.skipIf(process.platform === 'win32')('Ctrl-C ends it, and every process with it', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-interrupt-')));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const command = execa(process.execPath, [index, 'chaos'], { reject: false, env: { TMPDIR: folder } });
    await new Promise((resolve) => command.stderr.once('data', resolve));
    if (process.platform === 'linux') expect(processesWith(folder)).not.toEqual([]);
    command.kill('SIGINT');
    expect(await command).toMatchObject({ exitCode: 130 });
    expect(processesWith(folder)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** The client passes `TMPDIR` on to its sidecars. Linux only; elsewhere empty. */
function processesWith(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(folder));
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

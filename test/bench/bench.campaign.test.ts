import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { load, type Summary } from './load.ts';

/** The command as users start it. What it measures is not judged: the machine may be shared. */
const index = fileURLToPath(new URL('../../bench/index.mjs', import.meta.url));

interface Run {
  version: number;
  mode: string;
  machine: object;
  judgements: { id: string; value: number | null; verdict: string }[];
  figures: { name: string; timings: Record<string, Summary & { unit: string }>; skipped?: Record<string, string> }[];
  growth: object[];
}

/** Nine ways of doing a job, a few of them slow, on a machine that may be. */
const slow = { timeout: 180_000 };

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bench-test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function bench(...args: string[]) {
  return await execa(process.execPath, [index, ...args], { reject: false });
}

describe('npm run bench', () => {
  test('writes what it measured, ratios first, and leaves nothing', async () => {
    const folder = makeFolder();
    const json = join(folder, 'run.json');
    const { exitCode, stdout, stderr } = await execa(
      process.execPath,
      [index, '--quick', '--only', 'warm', '--json', json],
      { reject: false, env: { TMPDIR: folder } },
    );
    expect(exitCode, stderr).toBe(0);
    expect(stdout.split('\n')[2]).toMatch(/^ +[\d.]+ × {2}warm 1 \+ 1, against raw pipe echo \+ in-process engine/);
    expect(readdirSync(folder)).toEqual(['run.json']);

    const run = JSON.parse(readFileSync(json, 'utf8')) as Run;
    expect(run).toMatchObject({ version: 1, mode: 'quick', machine: { node: process.version }, growth: [] });
    expect(run.judgements).toMatchObject([{ id: 'warm', value: expect.any(Number) as number }]);
    expect(run.figures).toMatchObject([{ name: 'warm' }]);
    const timings = run.figures[0]?.timings ?? {};
    expect(Object.keys(timings)).toEqual(['sidecar', 'raw pipe echo', 'in-process engine', 'vscode-jsonrpc echo']);
    for (const { unit, n, min, p50, max } of Object.values(timings)) {
      expect({ unit, enough: n >= 3, inOrder: 0 < min && min <= p50 && p50 <= max }).toEqual({
        unit: 'ms',
        enough: true,
        inOrder: true,
      });
    }
    expect(timings['sidecar']?.min).toBeGreaterThan(timings['raw pipe echo']?.min as number);
  });

  test('every peer that is installed gives the same answer, and the others are skipped by name', slow, async () => {
    const { peers } = await load<{ peers: Record<string, { packages?: string[] }> }>('peers/index.mjs');
    const json = join(makeFolder(), 'run.json');
    const { exitCode, stderr } = await bench('--quick', '--only', 'peers,file-peers', '--json', json);
    expect(exitCode, stderr).toBe(0);
    const { figures } = JSON.parse(readFileSync(json, 'utf8')) as Run;
    for (const { name: figure, timings, skipped = {} } of figures) {
      for (const [name, { packages }] of Object.entries(peers)) {
        const answer = timings[name] === undefined ? skipped[name] : 'measured';
        const wanted = packages === undefined ? /^measured$/ : /^measured$|^not installed; npm run bench:peers$/;
        expect(answer, `${figure}: ${name}`).toMatch(wanted);
      }
    }
  });

  test('what it does not know ends with exit code 2 and says what there is', async () => {
    for (const args of [['--only', 'cold'], ['--fast'], ['warm'], ['--json']]) {
      const { exitCode, stdout, stderr } = await bench(...args);
      expect({ args, exitCode, stdout }).toEqual({ args, exitCode: 2, stdout: '' });
      expect(stderr).toContain('--only NAME[,NAME]');
    }
    const help = await bench('--help');
    expect(help).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('growth-file-size') as string });
  });

  test.skipIf(process.platform === 'win32')('Ctrl-C ends it, with everything that it started', async () => {
    const folder = makeFolder();
    const command = execa(process.execPath, [index, '--only', 'warm'], { reject: false, env: { TMPDIR: folder } });
    await new Promise((resolve) => command.stderr.once('data', resolve));
    command.kill('SIGINT');
    expect(await command).toMatchObject({ exitCode: 130 });
    expect(readdirSync(folder)).toEqual([]);
  });
});

import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';

/** CI runs `npm run fuzz -- all --seconds 20`; this is about the command. */
const index = fileURLToPath(new URL('../../fuzz/index.mjs', import.meta.url));
const campaign = new URL('../../fuzz/campaign.mjs', import.meta.url).href;

describe('fuzz', () => {
  test('all runs its targets, each with the seed that repeats it', async () => {
    const args = [index, 'all', '--seconds', '1', '--seed', '7', '--json'];
    const { exitCode, stdout, stderr } = await execa(process.execPath, args, { reject: false });
    expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
    const { ok, results } = JSON.parse(stdout) as {
      ok: boolean;
      results: { target: string; seed: number; executions: number; findings: unknown[] }[];
    };
    expect(ok).toBe(true);
    const rows = results.map(({ target, seed, findings }) => ({ target, seed, findings }));
    expect(rows).toEqual(['wire', 'paths', 'contents', 'values'].map((target) => ({ target, seed: 7, findings: [] })));
    for (const { target, executions } of results) expect(executions, target).toBeGreaterThan(10);
  });

  test('language runs programs in V8 and in the sandbox, and scripts that are to break the parser', async () => {
    const args = [index, 'language', '--batches', '1', '--seed', '7', '--json'];
    const { exitCode, stdout, stderr } = await execa(process.execPath, args, { reject: false });
    expect([0, 1], `${stdout}\n${stderr}`).toContain(exitCode);
    const [result] = (JSON.parse(stdout) as { results: { programs: Record<string, number>; findings: unknown[] }[] })
      .results;
    expect(result?.programs.same).toBeGreaterThan(100);
    expect(result?.findings.length === 0).toBe(exitCode === 0);
  });

  test('--programs ends with a line that says how many were tried and how many are wrong', async () => {
    const args = [index, 'language', '--programs', '1', '--seed', '7'];
    const { exitCode, stdout, stderr } = await execa(process.execPath, args, { reject: false });
    const [, wrong] = /^2,000 programs, (\d+) wrong \(seed 7\)$/.exec(stdout.split('\n').at(-1) ?? '') ?? [];
    expect(wrong, `${stdout}\n${stderr}`).toBeDefined();
    expect(exitCode).toBe(wrong === '0' ? 0 : 1);
  });

  test('--choose compares what auto gives to MustardScript with V8', async () => {
    const args = [index, 'language', '--choose', '--programs', '1', '--seed', '7'];
    const { exitCode, stdout, stderr } = await execa(process.execPath, args, { reject: false });
    expect(stdout.split('\n').at(-1), stderr).toBe('1,000 programs, 0 wrong (seed 7)');
    expect(exitCode).toBe(0);
  });

  test.skipIf(process.platform === 'win32')('Ctrl-C of --programs says what was reached', async () => {
    const args = [index, 'language', '--programs', '999999999', '--seed', '7'];
    const command = execa(process.execPath, args, { reject: false });
    await new Promise((resolve) => command.stderr.once('data', resolve));
    command.kill('SIGINT');
    const { exitCode, stdout } = await command;
    expect({ exitCode, stdout }).toEqual({
      exitCode: 130,
      stdout: expect.stringMatching(/^[\d,]+ programs, \d+ wrong \(seed 7\), interrupted$/),
    });
  });

  test('a series has several batches under way, and tells of each that is wrong', async () => {
    const program = `
      import { campaign } from ${JSON.stringify(campaign)};
      let atOnce = 0, most = 0;
      const series = async ({ seed, numRuns }) => {
        most = Math.max(most, ++atOnce);
        await new Promise((resolve) => setImmediate(resolve));
        atOnce--;
        const failures = seed === 4 ? ['one', 'other'].map((value) => ({ error: new Error(value), value: [value] })) : [];
        return { numRuns, failures };
      };
      const options = { target: 'test', seed: 3, seconds: 600, batches: 5, stopped: () => false };
      const tally = await campaign(options, { laws: { series }, batchRuns: 50, abreast: [2] }, () => {});
      console.log(JSON.stringify({ ...tally, most }));
    `;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', program]);
    const { findings, ...others } = JSON.parse(stdout) as { findings: { seed: number; input: string; file: string }[] };
    onTestFinished(() => findings.forEach(({ file }) => rmSync(file)));
    expect(others).toMatchObject({ executions: 250, most: 2 });
    expect(findings.map(({ seed, input }) => ({ seed, input }))).toEqual([
      { seed: 4, input: '["one"]' },
      { seed: 4, input: '["other"]' },
    ]);
    expect(new Set(findings.map(({ file }) => file)).size).toBe(2);
  });

  test('what it finds is made small, and written down with the seed that repeats it', async () => {
    const program = `
      import { campaign, must } from ${JSON.stringify(campaign)};
      import fc from 'fast-check';
      const laws = { 'numbers are small': fc.property(fc.nat(), (n) => must(n < 1000, 'too large')) };
      const tally = await campaign({ target: 'test', seed: 3, seconds: 1, stopped: () => false }, { laws, batchRuns: 50 }, () => {});
      console.log(JSON.stringify(tally));
    `;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', program]);
    const { findings } = JSON.parse(stdout) as {
      findings: { law: string; seed: number; input: string; file: string }[];
    };
    const [first] = findings;
    expect(first).toMatchObject({ law: 'numbers are small', seed: 3, input: '[1000]' });
    // It gives up on a target that is broken.
    expect(findings).toHaveLength(5);
    onTestFinished(() => findings.forEach(({ file }) => rmSync(file)));
    expect(readFileSync(first?.file ?? '', 'utf8')).toMatch(
      /^npm run fuzz -- test --seed 3\n\n\[1000\]\n\nError: too large/,
    );
  });

  test('what it does not know ends with exit code 2 and says what there is', async () => {
    for (const args of [
      ['disks'],
      ['wire', 'paths'],
      ['wire', '--seconds', '0'],
      ['paths', '--seed', '-1'],
      ['all', '--x'],
      ['wire', '--programs', '10'],
      ['language', '--tables', '--programs', '10'],
    ]) {
      const { exitCode, stdout, stderr } = await execa(process.execPath, [index, ...args], { reject: false });
      expect({ args, exitCode, stdout }).toEqual({ args, exitCode: 2, stdout: '' });
      expect(stderr).toContain('npm run fuzz -- TARGET');
    }
    const { exitCode, stdout } = await execa(process.execPath, [index, '--help'], { reject: false });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining('values') });
  });

  test.skipIf(process.platform === 'win32')('Ctrl-C ends it, and leaves nothing behind', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-interrupt-')));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const command = execa(process.execPath, [index, 'wire', '--seconds', '60'], {
      reject: false,
      env: { TMPDIR: folder },
    });
    await new Promise((resolve) => command.stderr.once('data', resolve));
    expect(readdirSync(folder)).not.toEqual([]);
    command.kill('SIGINT');
    expect(await command).toMatchObject({ exitCode: 130 });
    expect(readdirSync(folder)).toEqual([]);
  });
});

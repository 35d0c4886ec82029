import type { RunResult } from '@mustard-sandbox/client';
import { describe, expect, it } from 'vitest';
import { Measurements } from '../../../../packages/cli/src/commands/run/measurements.ts';
import { atServer, cliInProcess as cli, runScriptInProcess } from '../../in-process.ts';
import { makeFolder, parseOnly, type Ended } from '../../support.ts';

async function runScript(script: string, ...args: string[]): Promise<Ended> {
  return await runScriptInProcess(script, ...args, ...(await atServer()));
}

describe('--quiet', () => {
  it('leaves the value', async () => {
    expect(await runScript('console.log("a"); 7', '--quiet')).toEqual({ exitCode: 0, stdout: '7\n', stderr: '' });
    expect(await runScript('1', '-q')).toEqual({ exitCode: 0, stdout: '1\n', stderr: '' });
  });

  it('leaves errors', async () => {
    const { exitCode, stderr } = await runScript('throw 1', '--quiet');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('error: script_error: ');
    const validated = await cli(['validate', '-', '-q'], { input: 'import("x")' });
    expect(validated).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('unsupported_syntax') });
  });

  it('says nothing when all is well', async () => {
    const nothing = { exitCode: 0, stdout: '', stderr: '' };
    expect(await cli(['validate', '-', '--quiet'], { input: '1' })).toEqual(nothing);
    expect(await cli(['doctor', '--quiet'])).toEqual(nothing);
  });
});

describe('--profile', () => {
  const cwd = (): string => makeFolder({ 'a.txt': 'x'.repeat(2048), 'b.txt': 'y' });
  const input = 'for (const f of list_files()) read_file(f); console.log("read"); 1';

  it('shows where it went, by function', async () => {
    const { stdout, stderr } = await cli(['run', '-', '--root', '.', '--profile', '--quiet'], { cwd: cwd(), input });
    expect(stdout).toBe('1\n');
    const [head, ...rows] = stderr.split('\n');
    expect(head).toMatch(/^ +calls +total +mean +max +bytes +script before +instructions$/);
    const time = String.raw`[\d.]+ m?s`;
    expect(rows[0]).toMatch(new RegExp(`^list_files +1 +${time} +${time} +${time} +17 B +${time} +\\d+$`));
    expect(rows[1]).toMatch(new RegExp(`^read_file +2 +${time} +${time} +${time} +2 KB +${time} +\\d+$`));
    expect(rows[2]).toMatch(/^console\.log +1 /);
    expect(rows[3]).toMatch(new RegExp(`^the end +${time} +\\d+$`));
    expect(rows[4]).toMatch(new RegExp(`^in all +4 +${time} +2 KB +${time} +\\d+$`));
    expect(rows[5]).toBe('slowest calls');
    // Every column ends where its head does.
    expect(new Set([head, ...rows.slice(0, 5)].map((row) => row?.length)).size).toBe(1);
  });

  it('is in the object of --json', async () => {
    const ended = await cli(['run', '-', '--root', '.', '--profile', '--json'], { cwd: cwd(), input });
    expect(parseOnly(ended)).toMatchObject({
      ok: true,
      value: 1,
      profile: {
        capabilities: [{ name: 'list_files', calls: 1 }, { name: 'read_file', calls: 2 }, {}],
        callsLeftOut: 0,
      },
    });
  });

  it('is shown of a run that failed', async () => {
    const ended = await cli(['run', '-', '--root', '.', '--profile'], {
      cwd: cwd(),
      input: 'read_file("a.txt"); no()',
    });
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toMatch(/^read_file +1 .*^error: script_error: /ms);
  });
});

describe('--repeat', () => {
  it('shows the value once, and how time and instructions vary', async () => {
    const { exitCode, stdout, stderr } = await runScript('console.log("once"); 6 * 7', '--repeat', '3');
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '42\n' });
    const time = String.raw` +[\d.]+ m?s`.repeat(3);
    expect(stderr).toMatch(new RegExp(`^once\n3 runs +min +median +max\ntime${time}\ninstructions( +\\d+){3}\n$`));
  });

  it('tells lists by what is in them, not by how V8 stores them', () => {
    const spaced: unknown[] = new Array(2);
    spaced[0] = 1;
    spaced[1] = undefined;
    const measured = { executionMs: 1, instructionsUsed: 1 } as RunResult;
    const valuesOf = (...values: unknown[]) => {
      const [first, ...more] = values.map((value) => ({ ...measured, value }) as RunResult);
      const measurements = new Measurements(first!);
      for (const each of more) measurements.add(each);
      return measurements.repeats().values;
    };
    expect(valuesOf([1, undefined], spaced)).toBe(1);
    expect(valuesOf([0], [-0], [null], [undefined], ['0'], [Number.NaN], [[0]], { 0: 0 })).toBe(8);
    expect(valuesOf('a'.repeat(20_000), `${'a'.repeat(19_999)}b`)).toBe(2);
    expect(
      valuesOf(
        Array.from({ length: 200 }, Number),
        Array.from({ length: 200 }, (_, at) => (at === 199 ? 0 : at)),
      ),
    ).toBe(2);
  });

  it('says when the value was not always the same', async () => {
    const { stderr } = await runScript('Math.random()', '--repeat', '4', '--quiet');
    expect(stderr).toContain('there were 4 different ones');
  });

  it('has the same with --json', async () => {
    const { repeat, instructionsUsed } = parseOnly(await runScript('[1, undefined]', '--repeat', '2', '--json'));
    const spread = { min: expect.any(Number), median: expect.any(Number), max: expect.any(Number) };
    expect(repeat).toEqual({
      runs: 2,
      values: 1,
      executionMs: spread,
      instructionsUsed: expect.objectContaining(spread),
    });
    expect(repeat).toMatchObject({ instructionsUsed: { min: instructionsUsed, max: instructionsUsed } });
  });

  it.each([['0'], ['-1'], ['many'], ['1.5x'], ['10001']])('refuses %s', async (count) => {
    const { exitCode, stderr } = await runScript('1', '--repeat', count);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/--repeat: '?\S+ is (not a count|out of range)/);
  });
});

describe('FORCE_COLOR', () => {
  const failing = ['run', 'nowhere.js'];

  it('colours what is no terminal, and decides before NO_COLOR', async () => {
    const { stderr } = await cli(failing, { env: { FORCE_COLOR: '1', NO_COLOR: '1' } });
    expect(stderr).toContain('\u001b[31merror:');
  });

  it('takes colours away with 0', async () => {
    expect((await cli(failing, { env: { FORCE_COLOR: '0' } })).stderr).toMatch(/^error:/);
  });

  it('leaves JSON and values alone', async () => {
    const ended = await cli(['run', '-', '--json'], { input: 'throw 1', env: { FORCE_COLOR: '1' } });
    expect(parseOnly(ended)).toMatchObject({ ok: false });
    expect((await cli(['run', '-'], { input: '({ a: 1 })', env: { FORCE_COLOR: '1' } })).stdout).not.toContain(
      '\u001b',
    );
  });
});

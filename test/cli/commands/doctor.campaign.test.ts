import { describe, expect, it } from 'vitest';
import { cli, parseOnly } from '../support.ts';
import { installWithoutEngine } from '../without-engine.ts';

describe('doctor', () => {
  it('describes an installation that works', async () => {
    const { exitCode, stdout, stderr } = await cli(['doctor']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    for (const row of [
      /^mustard-sandbox +\d+\.\d+\.\d+$/m,
      new RegExp(`^platform +${process.platform} ${process.arch}$`, 'm'),
      new RegExp(`^node +${process.versions.node}, `, 'm'),
      /^engine +quickjs: /m,
      /^engine +mustardscript: 0\.3\.0$/m,
      /^binding +.+\.node$/m,
      /^isolation +(jail, by \S+|process; no jail: \S.+)/m,
      /^start +[\d.]+ m?s, /m,
      /^round trip +[\d.]+ m?s, /m,
      /^memory +.+ free, the sidecar holds .+$/m,
      /^limit timeoutMs +2 s, at most 3600 s$/m,
      /^limit heapBytes +64 MB, at most 256 MB$/m,
    ]) {
      expect(stdout).toMatch(row);
    }
  });

  it('says the same with --json', async () => {
    const ended = await cli(['doctor', '--json']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(parseOnly(ended)).toMatchObject({
      ok: true,
      platform: process.platform,
      arch: process.arch,
      node: process.versions.node,
      engines: ['quickjs', 'mustardscript'],
      engine: { name: 'mustardscript', version: '0.3.0', available: true, path: expect.stringMatching(/\.node$/) },
      isolation: { requested: 'auto', active: expect.stringMatching(/^(jail|process)$/) },
      startMs: expect.any(Number),
      roundTripMs: expect.any(Number),
      memory: { totalBytes: expect.any(Number), freeBytes: expect.any(Number), sidecarBytes: expect.any(Number) },
      limits: { timeoutMs: { default: 2000, ceiling: 3_600_000, unit: 'ms' } },
    });
  });

  it('says why MustardScript is not there, and that QuickJS runs every script', async () => {
    const main = installWithoutEngine();
    const engine = {
      name: 'mustardscript',
      available: false,
      reason: expect.stringContaining('@mustardscript/binding-'),
    };
    const asJson = await cli(['doctor', '--json'], { main });
    expect(asJson.exitCode).toBe(0);
    expect(parseOnly(asJson)).toMatchObject({ ok: true, engines: ['quickjs'], engine });

    const { exitCode, stdout } = await cli(['doctor'], { main });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^engine +mustardscript: not available, so quickjs runs every script: .+is not installed/m);

    expect(await cli(['run', '-'], { main, input: '1 + 1' })).toMatchObject({ exitCode: 0, stdout: '2\n' });
    const asked = await cli(['run', '-', '--engine', 'mustardscript'], { main, input: '1 + 1' });
    expect(asked).toMatchObject({ exitCode: 4, stdout: '' });
    expect(asked.stderr).toContain('error: engine_unavailable: ');
    expect(asked.stderr).toContain('hint: `mustard-sandbox doctor` shows what was looked for');
  });
});

describe('doctor --stress', () => {
  it('tells each attempt, and that all were contained', async () => {
    const ended = await cli(['doctor', '--stress', '--json']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toMatch(/^ok +endless loop: timeout after \d+ ms$/m);
    const { ok, stress } = parseOnly(ended) as unknown as { ok: boolean; stress: { name: string; ok: boolean }[] };
    expect(ok).toBe(true);
    expect(stress.length).toBeGreaterThan(5);
    expect(stress.filter((check) => !check.ok)).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { cli, parseOnly } from './support.ts';
import { installWithoutEngine } from './without-engine.ts';

describe('doctor', () => {
  it('describes an installation that works', async () => {
    const { exitCode, stdout, stderr } = await cli(['doctor']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    for (const row of [
      /^mustard-sandbox +\d+\.\d+\.\d+$/m,
      new RegExp(`^platform +${process.platform} ${process.arch}$`, 'm'),
      new RegExp(`^node +${process.versions.node}, `, 'm'),
      /^engine +mustardscript 0\.3\.0$/m,
      /^binding +.+\.node$/m,
      /^isolation +(jail, by \S+|process; no jail: \S.+)/m,
      /^start +[\d.]+ m?s, /m,
      /^round trip +[\d.]+ m?s, /m,
      /^memory +.+ free, the sidecar holds .+$/m,
      /^limit timeoutMs +2 s, at most 60 s$/m,
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
      engine: { name: 'mustardscript', version: '0.3.0', available: true, path: expect.stringMatching(/\.node$/) },
      isolation: { requested: 'auto', active: expect.stringMatching(/^(jail|process)$/) },
      startMs: expect.any(Number),
      roundTripMs: expect.any(Number),
      memory: { totalBytes: expect.any(Number), freeBytes: expect.any(Number), sidecarBytes: expect.any(Number) },
      limits: { timeoutMs: { default: 2000, ceiling: 60_000, unit: 'ms' } },
    });
  });

  it('exits with 4 and the reason where there is no engine; everything but running works', async () => {
    const main = installWithoutEngine();
    const engine = {
      name: 'mustardscript',
      available: false,
      reason: expect.stringContaining('@mustardscript/binding-'),
    };
    const asJson = await cli(['doctor', '--json'], { main });
    expect(asJson.exitCode).toBe(4);
    expect(parseOnly(asJson)).toMatchObject({ ok: false, error: { code: 'engine_unavailable' }, engine });

    const { exitCode, stdout, stderr } = await cli(['doctor'], { main });
    expect(exitCode).toBe(4);
    expect(stdout).toMatch(/^engine +mustardscript, not available: .+is not installed/m);
    expect(stderr).toContain('error: engine_unavailable: ');

    const run = await cli(['run', '-'], { main, input: '1 + 1' });
    expect(run).toMatchObject({ exitCode: 4, stdout: '' });
    expect(run.stderr).toContain('hint: `mustard-sandbox doctor` shows what was looked for');
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

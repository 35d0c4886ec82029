import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunProfile } from '@mustard-sandbox/client';
import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import { failureOf, sandbox } from './support.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'profile-'));
  writeFileSync(join(root, 'a.txt'), 'twelve bytes');
});
afterAll(() => rmSync(root, { recursive: true }));

function sum<K extends string>(rows: Record<K, number>[], key: K): number {
  return rows.reduce((total, row) => total + row[key], 0);
}

describe('a run with profile', () => {
  it('tells calls, bytes and instructions by capability, and every instruction once', async () => {
    const script = `
      let n = 0;
      for (let i = 0; i < 3; i++) n += read_file('a.txt').length;
      console.log('so far', n);
      host(n);
      for (let i = 0; i < 100000; i++) n++;
      n`;
    const { value, profile, instructionsUsed } = await sandbox().run({
      script,
      scope: { root },
      hostFunctions: { host: (n) => ({ n }) },
      profile: true,
    });
    expect(value).toBe(100036);
    const { capabilities, rest, calls, callsLeftOut } = profile as RunProfile;
    expect(capabilities).toMatchObject([
      { name: 'read_file', calls: 3, bytes: 36 },
      { name: 'console.log', calls: 1, bytes: 0 },
      { name: 'host', calls: 1, bytes: '{"n":36}'.length },
    ]);
    expect(calls.map(({ name, path }) => [name, path])).toEqual([
      ['read_file', 'a.txt'],
      ['read_file', 'a.txt'],
      ['read_file', 'a.txt'],
      ['console.log', undefined],
      ['host', undefined],
    ]);
    expect(callsLeftOut).toBe(0);
    expect(sum(capabilities, 'instructions') + rest.instructions).toBe(instructionsUsed);
    expect(rest.instructions).toBeGreaterThan(1000);
    for (const { ms, maxMs } of capabilities) expect(maxMs).toBeLessThanOrEqual(ms);
  });

  it('lists the first thousand calls, and counts all', async () => {
    const script = `for (let i = 0; i < 1100; i++) file_stats('a.txt')`;
    const { profile } = await sandbox().run({ script, scope: { root }, profile: true, limits: { timeoutMs: 10_000 } });
    expect(profile?.calls).toHaveLength(1000);
    expect(profile?.callsLeftOut).toBe(100);
    expect(profile?.capabilities).toMatchObject([{ name: 'file_stats', calls: 1100 }]);
  });

  it('tells it of a run that failed, too', async () => {
    // Time enough to stop by itself: a sidecar that had to be killed tells nothing.
    const error = await failureOf(
      sandbox({ graceMs: 30_000 }).run({
        script: `read_file('a.txt'); while (true) {}`,
        scope: { root },
        limits: { timeoutMs: 400 },
        profile: true,
      }),
    );
    expect(error.code).toBe('timeout');
    expect(error.details.profile?.capabilities).toMatchObject([{ name: 'read_file', calls: 1, bytes: 12 }]);
    // Most of the time, which is what somebody wants to know of a script that took too long. On a busy machine the first
    // call of a built-in takes a good part of it.
    expect(error.details.profile?.rest.scriptMs).toBeGreaterThan(100);
  });

  it('counts a call that ended the run', async () => {
    const error = await failureOf(
      sandbox().run({
        script: 'forever()',
        hostFunctions: { forever: { handler: () => new Promise(() => {}), timeoutMs: 50 } },
        profile: true,
      }),
    );
    expect(error.code).toBe('capability_timeout');
    expect(error.details.profile?.capabilities).toMatchObject([{ name: 'forever', calls: 1, bytes: 0 }]);
  });
});

it('a run without profile has none', async () => {
  expect(await sandbox().run({ script: '1' })).not.toHaveProperty('profile');
});

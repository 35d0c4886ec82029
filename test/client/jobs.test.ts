import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createSandbox,
  type LimitOptions,
  type RunOptions,
  type RunSpent,
  type SandboxOptions,
} from '@mustard-sandbox/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildRunRequest } from '../../packages/sandbox-client/src/run-request.ts';
import { failureOf } from './support.ts';

let folder: string;
const size = 8e6;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'jobs-'));
  writeFileSync(join(folder, 'big.log'), 'a line of a log, of which there are many\n'.repeat(size / 41));
});
afterAll(() => rmSync(folder, { recursive: true }));

function sandbox(options: SandboxOptions = {}) {
  const box = createSandbox({ maxProcesses: 1, spares: 0, ...options });
  onTestFinished(() => box.close());
  return box;
}

const patient = () => sandbox({ limits: { timeoutMs: 60_000 } });
const hour = 3_600_000;
const read = `let n = 0; for (const line of lines('big.log')) if (line.includes('many')) n++; n`;
const scope = (): Pick<RunOptions, 'scope'> => ({ scope: { root: folder } });

describe('a job of up to an hour', () => {
  it.each(['quickjs', 'mustardscript'] as const)('takes one setting: %s', async (engine) => {
    const box = sandbox({ limits: { timeoutMs: hour }, engine });
    expect((await box.run({ script: 'let n = 0; for (let i = 0; i < 1000; i++) n += i; n' })).value).toBe(499_500);
    const more = await failureOf(box.run({ script: '1', limits: { timeoutMs: hour + 1 } }));
    expect(more.code).toBe('invalid_request');
  });

  it('has instructions for its time, unless it says how many', () => {
    const settings = { limits: undefined, maxTimeoutMs: hour, engine: 'auto' } as const;
    const sent = (limits: LimitOptions) => buildRunRequest('1', { script: '1', limits }, settings, []).params.limits;
    expect(sent({ timeoutMs: 20_000 })).toEqual({ timeoutMs: 20_000, instructions: 2e9 });
    expect(sent({ timeoutMs: hour })).toEqual({ timeoutMs: hour, instructions: 360e9 });
    expect(sent({ timeoutMs: 20_000, instructions: 5 })).toEqual({ timeoutMs: 20_000, instructions: 5 });
    expect(sent({ timeoutMs: 500 })).toEqual({ timeoutMs: 500 });
  });

  it('is asked for by a run only where the sandbox allows it', async () => {
    const box = sandbox();
    expect((await failureOf(box.run({ script: '1', limits: { timeoutMs: 10_001 } }))).code).toBe('invalid_request');
    const strict = sandbox({ maxTimeoutMs: 1_000, limits: { timeoutMs: 2_000 } });
    expect((await failureOf(strict.run({ script: '1' }))).code).toBe('invalid_request');
  });
});

describe('onProgress', () => {
  it('tells how far a script has read, in order, and nothing once it has ended', async () => {
    const told: RunSpent[] = [];
    const onProgress = (spent: RunSpent): void => void told.push(spent);
    const { value, bytesRead } = await patient().run({ script: read, ...scope(), onProgress });
    const ended = told.length;
    expect(value).toBe(Math.floor(size / 41));
    const reached = told.flatMap((spent) => spent.reached ?? []);
    expect(reached.length).toBeGreaterThan(0);
    for (const { path, position, size: bytes } of reached) {
      expect(path).toBe('big.log');
      expect(position).toBeLessThanOrEqual(bytes);
    }
    const reads = told.map((spent) => spent.bytesRead);
    expect(reads).toEqual(reads.toSorted((a, b) => a - b));
    expect(reads.at(-1)).toBeLessThanOrEqual(bytesRead);
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toHaveLength(ended);
  });

  it('that throws harms nobody', async () => {
    const onProgress = (): never => {
      throw new Error('no');
    };
    expect((await patient().run({ script: read, ...scope(), onProgress })).value).toBe(Math.floor(size / 41));
  });

  it('can stop the job by its signal: what was saved stays', async () => {
    const outputs = mkdtempSync(join(tmpdir(), 'jobs-out-'));
    onTestFinished(() => rmSync(outputs, { recursive: true }));
    const stop = new AbortController();
    const box = sandbox({ limits: { timeoutMs: 60_000 }, outputs });
    const script = `save('first.txt', 'kept'); for (;;) for (const line of lines('big.log')) if (line === 'x') break;`;
    const onProgress = ({ bytesRead }: RunSpent): void => {
      if (bytesRead > 0) stop.abort();
    };
    const error = await failureOf(box.run({ script, ...scope(), onProgress, signal: stop.signal }));
    expect(error).toMatchObject({ code: 'cancelled', details: { outputs: [{ name: 'first.txt' }] } });
  });
});

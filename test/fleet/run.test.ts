import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectFleet } from '@mustard-sandbox/fleet';
import { expect, test } from 'vitest';
import { onEachQueue } from './queues.ts';
import { Fleet, folder, key } from './support.ts';

onEachQueue('a sandbox at a fleet', (start) => {
  test('runs a script with its inputs, and tells what it cost', async () => {
    const fleet = await Fleet.with(start);
    await fleet.worker();
    const sandbox = fleet.client();
    const lines: string[] = [];
    const starts: number[] = [];
    const result = await sandbox.run({
      script: 'console.log("one"); console.warn("two"); numbers.map((n) => n * 2)',
      inputs: { numbers: [1, 2, 3] },
      onConsole: ({ level, text }) => void lines.push(`${level} ${text}`),
      onStart: ({ queueMs }) => void starts.push(queueMs),
    });
    expect(result.value).toEqual([2, 4, 6]);
    expect(result.engine).toBe('quickjs');
    expect(result.executionMs).toBeGreaterThanOrEqual(0);
    expect(lines).toEqual(['log one', 'warn two']);
    expect(starts).toHaveLength(1);
    expect(sandbox.stats().totals).toMatchObject({ runs: 1, succeeded: 1, failed: 0 });
  });

  test('gives the errors of scripts as they are', async () => {
    const fleet = await Fleet.with(start);
    await fleet.worker();
    const sandbox = fleet.client();
    await expect(sandbox.run({ script: 'null.x' })).rejects.toMatchObject({
      name: 'SandboxError',
      code: 'script_error',
      details: { name: 'TypeError', location: { line: 1 } },
    });
    await expect(sandbox.run({ script: 'for(;;);', limits: { timeoutMs: 50 } })).rejects.toMatchObject({
      code: 'timeout',
    });
    await expect(sandbox.run({ script: ')' })).rejects.toMatchObject({ code: 'parse_error' });
    expect(await sandbox.validate('1 + 1')).toEqual([]);
    expect(await sandbox.validate(')')).toHaveLength(1);
    expect(await sandbox.warm()).toBeDefined();
  });

  test('keeps values that JSON has not', async () => {
    const fleet = await Fleet.with(start);
    await fleet.worker();
    const { value } = await fleet.client().run({
      script: '[a === Infinity, Object.is(b, -0), await back()]',
      inputs: { a: Infinity, b: -0 },
      hostFunctions: { back: () => undefined },
    });
    expect(value).toEqual([true, true, null]);
  });

  test('reads attachments, which workers get by content', async () => {
    const fleet = await Fleet.with(start);
    await fleet.worker();
    const path = join(folder(), 'numbers.txt');
    writeFileSync(path, Array.from({ length: 50_000 }, (_, n) => n).join('\n'));
    const script = 'let sum = 0; for (const n of lines("attachments:numbers")) sum += Number(n); sum';
    const scope = { attachments: [{ name: 'numbers', path }] };
    const { value, attachmentsRead } = await fleet.client().run({ script, scope, limits: { timeoutMs: 10_000 } });
    expect(value).toBe((50_000 * 49_999) / 2);
    expect(attachmentsRead).toEqual(['numbers']);
  });

  test('calls host functions at the client, one segment after the other', async () => {
    const fleet = await Fleet.with(start);
    await fleet.worker();
    await fleet.worker();
    const calls: unknown[] = [];
    const { value, hostCalls } = await fleet.client().run({
      script: `const prices = await Promise.all(['pen', 'desk'].map((item) => price(item)));
        let failed; try { await fail() } catch (error) { failed = error.message }
        [prices, failed, await price('lamp')]`,
      hostFunctions: {
        price: async (item) => (calls.push(item), await Promise.resolve((item as string).length)),
        fail: () => {
          throw new TypeError('no');
        },
      },
    });
    expect(value).toEqual([[3, 4], 'no', 4]);
    expect(calls).toEqual(['pen', 'desk', 'lamp']);
    expect(hostCalls).toBe(4);
  });

  test('goes on with the first answer of a race, and tells a call without await', async () => {
    const fleet = await Fleet.with(start);
    await fleet.worker();
    const sandbox = fleet.client();
    const hostFunctions = { never: () => new Promise(() => {}), soon: () => Promise.resolve('soon') };
    const { value } = await sandbox.run({ script: 'await Promise.race([never(), soon()])', hostFunctions });
    expect(value).toBe('soon');
    await expect(sandbox.run({ script: 'soon() + 1', hostFunctions })).rejects.toMatchObject({ code: 'cannot_freeze' });
  });
});

test('refuses what a fleet cannot do by name', async () => {
  const sandbox = connectFleet({ connection: 'redis://127.0.0.1:1', keys: [key()] });
  await expect(sandbox.run({ script: '1', scope: { root: '/tmp' } })).rejects.toMatchObject({
    code: 'invalid_request',
  });
  expect(() => connectFleet({ connection: 'http://x:secret@y', keys: [key()] })).toThrow(/not redis:(?!.*secret)/);
  expect(() => connectFleet({ connection: 'redis://x', keys: [] })).toThrow('keys');
  expect(() => connectFleet({ connection: 'redis://x', keys: [key()], token: 'x' } as never)).toThrow("'token'");
  await sandbox.close();
  await expect(sandbox.run({ script: '1' })).rejects.toMatchObject({ code: 'closed' });
});

test('says that the queue cannot be reached', async () => {
  for (const connection of ['redis://127.0.0.1:1', 'postgres://127.0.0.1:1/fleet']) {
    const sandbox = connectFleet({ connection, keys: [key()], connectTimeoutMs: 200 });
    await expect(sandbox.run({ script: '1' })).rejects.toMatchObject({ code: 'sidecar_unavailable' });
    await sandbox.close();
  }
});

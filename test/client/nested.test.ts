import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '@mustard-sandbox/client';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { failureOf, sandbox } from './support.ts';

/** A script within a host function within a script, so often. */
function nested(box: Sandbox, depth: number): Promise<unknown> {
  const deeper = (): Promise<unknown> => nested(box, depth - 1);
  const script = depth === 0 ? '1' : 'deeper() + 1';
  return box.run({ script, hostFunctions: { deeper } }).then(({ value }) => value);
}

it('a host function may run scripts in the sandbox that called it, also with one process', async () => {
  const box = sandbox({ maxProcesses: 1, spares: 0 });
  expect(await nested(box, 4)).toBe(5);
  // All of them at a time wait for each other, and none of them for good.
  expect(await Promise.all(Array.from({ length: 4 }, () => nested(box, 2)))).toEqual([3, 3, 3, 3]);
});

it('so may validate and warm', async () => {
  const box = sandbox({ maxProcesses: 1, spares: 0 });
  const hostFunctions = {
    check: async () => {
      await box.warm();
      return (await box.validate('import "fs"')).length;
    },
  };
  await expect(box.run({ script: 'check()', hostFunctions })).resolves.toMatchObject({ value: 1 });
});

it('past maxNesting it is refused, and the error says so in the script and outside', async () => {
  const box = sandbox({ maxProcesses: 1, spares: 0, maxNesting: 2 });
  expect(await nested(box, 2)).toBe(3);
  const error = await failureOf(nested(box, 3));
  expect(error).toMatchObject({ code: 'limit_exceeded', message: expect.stringContaining('maxNesting') as string });
  const none = sandbox({ maxNesting: 0 });
  const inner = (): Promise<unknown> => none.run({ script: '1' });
  const refused: unknown[] = [];
  const noting = (): Promise<unknown> => inner().catch((thrown: unknown) => refused.push(thrown));
  await none.run({ script: 'noting()', hostFunctions: { noting } });
  expect(refused).toMatchObject([
    { code: 'limit_exceeded', details: { limit: 'nested_runs', value: 0, unit: 'runs', actual: 1 } },
  ]);
});

it('each level has its own processes, and its own queue', async () => {
  const box = sandbox({ maxProcesses: 2, spares: 0, maxQueue: 3 });
  let most = 0;
  box.on('run_started', () => {
    most = Math.max(most, box.stats().processes.length);
  });
  const many = (): Promise<unknown> =>
    Promise.all(Array.from({ length: 5 }, () => box.run({ script: '1' }))).then(() => 1);
  const runs = Array.from({ length: 5 }, () => box.run({ script: 'many()', hostFunctions: { many } }));
  const settled = await Promise.allSettled(runs);
  // Two runs of five each: ten ask for two processes and three places.
  expect(settled.some(({ status }) => status === 'fulfilled')).toBe(true);
  expect(most).toBeLessThanOrEqual(4);
});

it('a run of another sandbox between two of this one counts as well', async () => {
  const [one, other] = [sandbox({ maxProcesses: 1, maxNesting: 1 }), sandbox({ maxProcesses: 1, maxNesting: 1 })];
  const run = (box: Sandbox, go?: () => Promise<unknown>): Promise<unknown> =>
    box.run({ script: go ? 'go()' : '"end"', hostFunctions: go ? { go } : {} }).then(({ value }) => value);
  expect(await run(one, () => run(other, () => run(one)))).toBe('end');
  const deeper = run(one, () => run(other, () => run(one, () => run(other, () => run(one)))));
  expect((await failureOf(deeper)).code).toBe('limit_exceeded');
});

it('also when a function that answered at once starts a run later', async () => {
  const box = sandbox({ maxProcesses: 1, spares: 0, maxNesting: 2 });
  const later = async (): Promise<unknown> => {
    await sleep(1);
    return (await box.run({ script: '1' })).value;
  };
  let calls = 0;
  const sometimes = (): unknown => (++calls % 2 === 1 ? 0 : later());
  const script = 'let n = 0; for (let i = 0; i < 6; i++) n += sometimes(); n';
  const run = (): Promise<unknown> => box.run({ script, hostFunctions: { sometimes } }).then(({ value }) => value);
  expect(await run()).toBe(3);
  const outer = await box.run({ script: 'inner()', hostFunctions: { inner: run } });
  expect(outer.value).toBe(3);
});

it('also when the work of an answer begins with the wait for it', async () => {
  const box = sandbox({ maxProcesses: 1, spares: 0 });
  // As a query builder does.
  const lazy = (): unknown => {
    const answer = (given: (value: unknown) => void): void =>
      void box.run({ script: '1' }).then(({ value }) => given(value));
    // oxlint-disable-next-line unicorn/no-thenable -- that is what is tested
    return { then: answer };
  };
  let calls = 0;
  const sometimes = (): unknown => (++calls === 1 ? 0 : lazy());
  const run = box.run({ script: 'lazy() + lazy() + sometimes() + sometimes()', hostFunctions: { lazy, sometimes } });
  expect((await run).value).toBe(3);
});

it('also at once', async () => {
  const box = sandbox({ maxProcesses: 1, spares: 0 });
  const started: Promise<unknown>[] = [];
  const start = (): void => void started.push(box.run({ script: '1' }));
  await box.run({ script: 'for (let i = 0; i < 3; i++) start()', hostFunctions: { start } });
  expect(await Promise.all(started)).toMatchObject(Array.from({ length: 3 }, () => ({ value: 1 })));
});

// While a context is in use, Node 20 and 22 take 0.3 µs for every promise of the host, and number what each one calls.
it('makes the promises of the host no slower once no run is under way', async () => {
  const program = `
    import { executionAsyncId } from 'node:async_hooks';
    import { createSandbox } from '@mustard-sandbox/client';
    const number = () => Promise.resolve().then(executionAsyncId);
    const box = createSandbox({ spares: 0 });
    const seen = [];
    const note = async () => void seen.push(await number());
    const fail = async () => { throw new Error('no'); };
    await Promise.all([
      box.run({ script: 'note()', hostFunctions: { note } }),
      box.run({ script: 'fail()', hostFunctions: { fail } }).catch(() => {}),
    ]);
    seen.push(await number());
    console.log(JSON.stringify(seen));
    await box.close();`;
  const { stdout } = await execa(process.execPath, ['--input-type=module'], { input: program });
  const [during, after] = JSON.parse(stdout) as number[];
  expect(during).toBeGreaterThanOrEqual(0);
  expect(after).toBe(0);
});

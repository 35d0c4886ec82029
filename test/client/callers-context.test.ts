import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { createExecuteSandboxScriptTool } from '@mustard-sandbox/agent-tool';
import { sandbox } from './support.ts';

const user = new AsyncLocalStorage<string>();
const callers = ['alice', 'bob', 'carol'];

/** Each caller in a context of its own, over one sidecar that the first of them has started. */
async function forEachCaller<T>(work: (caller: string) => Promise<T>): Promise<T[]> {
  return await Promise.all(callers.map((caller) => user.run(caller, () => work(caller))));
}

it('host functions and onConsole run in the context of the caller of run', async () => {
  const box = sandbox({ maxProcesses: 1, spares: 0 });
  const seen = await forEachCaller(async () => {
    const lines: (string | undefined)[] = [];
    const { value } = await box.run({
      script: 'console.log("1"); const first = who(); const second = who(); [first, second, lazy()]',
      hostFunctions: {
        who: async () => {
          await new Promise(setImmediate);
          return user.getStore();
        },
        // The work of such an answer, as of a query builder, begins when it is awaited.
        // oxlint-disable-next-line unicorn/no-thenable -- that is what is tested
        lazy: () => ({ then: (answer: (name: unknown) => void) => answer(user.getStore()) }),
      },
      onConsole: () => lines.push(user.getStore()),
    });
    return [value, lines];
  });
  expect(seen).toEqual(callers.map((caller) => [[caller, caller, caller], [caller]]));
  expect(box.stats().totals.spawns).toBe(1);
});

it('so do the consent and the host functions of a tool', async () => {
  const box = sandbox({ maxProcesses: 1, spares: 0 });
  const asked: [string | undefined, string | undefined][] = [];
  await using tool = createExecuteSandboxScriptTool({
    sandbox: box,
    consent: async ({ description, hostFunction }) => {
      asked.push([user.getStore(), hostFunction ?? description]);
      return 'allow-once';
    },
    hostFunctions: {
      who: { handler: () => user.getStore(), declaration: 'declare function who(): string;', consent: 'ask' },
    },
  });
  const texts = await forEachCaller(async (caller) => {
    return (await tool.execute({ script: 'who()', description: caller })).text;
  });
  expect(texts).toEqual(callers);
  for (const caller of callers)
    expect(asked.filter(([who]) => who === caller)).toEqual([
      [caller, caller],
      [caller, 'who'],
    ]);
  expect(box.stats().totals.spawns).toBe(1);
});

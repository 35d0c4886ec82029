// Others that run scripts of many calls: the same scripts and tools as bench/code-mode.mjs has, without a store.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

/** @typedef {{ run(script: string): Promise<unknown>, wait(script: string): Promise<() => Promise<unknown>> }} Peer */

const secret = randomBytes(32).toString('base64');
const add = (/** @type {{ n: number }} */ { n }) => n + 1;
const slow = () => sleep(50, 'done');

/** @type {Record<string, () => Promise<Peer>>} */
export const codeModePeers = {
  /** Keeps what its functions gave in a signed token, and runs the script again. */
  async run() {
    const { createRunner, getHostFunctionContext } = await import('run');
    const runner = createRunner({ continuationSecret: secret });
    const ask = () => {
      const { interrupt, resume } = getHostFunctionContext();
      return resume === undefined ? interrupt({ kind: 'ask' }) : resume.resolution;
    };
    const hostFunctions = { tools: { add, slow, ask } };
    return {
      run: async (source) => await runner.run({ source, hostFunctions }),
      async wait(source) {
        const first = await runner.run({ source, hostFunctions });
        if (first.status !== 'interrupted') throw new Error('It did not wait.');
        const { continuation, interruptions } = first;
        const resolutions = interruptions.map((each) => ({ interruptionId: each.id, value: 1 }));
        return () => runner.run({ source, hostFunctions, continuation, resolutions });
      },
    };
  },
  /** The same engine, with tools of the AI SDK. */
  async '@ai-sdk/code-mode'() {
    const { experimental_runCodeMode, experimental_continueCodeModeApproval } = await import('@ai-sdk/code-mode');
    const tools = {
      add: { inputSchema: z.object({ n: z.number() }), execute: add },
      slow: { inputSchema: z.object({}), execute: slow },
      ask: { inputSchema: z.object({}), needsApproval: true, execute: () => 1 },
    };
    const options = { approval: { mode: 'interrupt' }, continuationSecurity: { signingKey: secret } };
    return {
      run: async (js) => await experimental_runCodeMode({ js, tools, options }),
      async wait(js) {
        const interrupt = await experimental_runCodeMode({ js, tools, options });
        const approvalResponse = { approvalId: interrupt.interruptId, approved: true };
        return () => experimental_continueCodeModeApproval({ interrupt, approvalResponse, tools, options });
      },
    };
  },
};

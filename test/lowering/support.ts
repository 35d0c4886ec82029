import { Script } from 'node:vm';
import { inspect } from 'node:util';
import { expect } from 'vitest';
import { loadBinding } from '../../packages/sandbox-daemon/src/engine/binding.ts';
import { Engine } from '../../packages/sandbox-daemon/src/engine/engine.ts';
import * as frontEnd from '../../packages/sandbox-daemon/src/lowering/index.ts';
import { limitsSchema, type LimitOptions } from '../../packages/sandbox-daemon/src/protocol/limits.ts';
import { scopeSchema, type HostError, type RunWarning } from '../../packages/sandbox-daemon/src/protocol/methods.ts';
import { decodeValue, encodeValue, type SandboxValue } from '../../packages/sandbox-daemon/src/protocol/values.ts';
import { runScript } from '../../packages/sandbox-daemon/src/server/run.ts';

const faults: string[] = [];
const engine = new Engine({
  ...loadBinding(),
  loadFrontEnd: () => frontEnd,
  onFault: (message) => faults.push(message),
});
const { signal } = new AbortController();

export interface Ran {
  value: unknown;
  logged: string[];
  warnings: RunWarning[];
}

interface Options {
  host?: Record<string, (...args: SandboxValue[]) => SandboxValue | Promise<SandboxValue>>;
  limits?: LimitOptions;
}

/** Runs a script in this process, rewritten as in the sidecar. A fault of the front end fails the test. */
export async function run(script: string, { host = {}, limits = {} }: Options = {}): Promise<Ran> {
  const logged: string[] = [];
  const params = {
    runId: 'test',
    script,
    scope: scopeSchema.parse({}),
    limits: limitsSchema.parse({ timeoutMs: 10_000, ...limits }),
    hostFunctions: Object.keys(host),
  };
  const result = await runScript(params, {
    engine,
    watchdog: { arm: () => performance.now(), disarm() {}, now: () => performance.now() },
    signal,
    console: (_, text) => logged.push(text),
    callHost: async (name, args) => {
      try {
        const value = await host[name]?.(...(decodeValue(args) as SandboxValue[]));
        return { value: encodeValue(value, 'result') };
      } catch (error) {
        const { name: errorName, message } = error as Error;
        return { error: { name: errorName, message } satisfies HostError };
      }
    },
  });
  expect(faults).toEqual([]);
  return { value: decodeValue(result.value), logged, warnings: result.warnings ?? [] };
}

const globals = { structuredClone, atob, btoa, performance, TextEncoder, TextDecoder };

/** What V8 makes of a script, in a realm of its own. */
function inV8(script: string): unknown {
  return new Script(script).runInNewContext({ ...globals });
}

/** Expects a script to give what it gives in V8. */
export async function expectAsInV8(script: string): Promise<void> {
  let wanted: unknown;
  try {
    wanted = inV8(script);
  } catch {
    await expect(run(script)).rejects.toHaveProperty('code');
    return;
  }
  const { value } = await run(script);
  // `inspect` tells 0 from -0 and holes from undefined, and does not mind that there are two realms.
  expect(inspect(value, { depth: null })).toBe(inspect(wanted, { depth: null }));
}

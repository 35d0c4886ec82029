import { Script } from 'node:vm';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { loadBinding } from '../../packages/sandbox-daemon/src/engine/binding.ts';
import { Engine } from '../../packages/sandbox-daemon/src/engine/engine.ts';
import { lower } from '../../packages/sandbox-daemon/src/lowering/index.ts';
import { limitsSchema, type LimitOptions } from '../../packages/sandbox-daemon/src/protocol/limits.ts';
import { scopeSchema, type HostError, type RunWarning } from '../../packages/sandbox-daemon/src/protocol/methods.ts';
import { decodeValue, encodeValue, type SandboxValue } from '../../packages/sandbox-daemon/src/protocol/values.ts';
import { runScript } from '../../packages/sandbox-daemon/src/server/run.ts';

const faults: string[] = [];
const engine = new Engine({ ...loadBinding(), loadFrontEnd: () => lower, onFault: (message) => faults.push(message) });
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
    watchdog: { arm() {}, disarm() {}, now: () => performance.now() },
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

/** What V8 makes of a script. The values are those of this realm, to be compared. */
export function inV8(script: string): unknown {
  return new Script(script).runInThisContext();
}

/** Expects a script to give what it gives in V8. */
export async function expectAsInV8(script: string): Promise<void> {
  const { value } = await run(script);
  const wanted = inV8(script);
  // isDeepStrictEqual tells 0 from -0, and knows NaN.
  if (!isDeepStrictEqual(value, wanted)) expect(value).toStrictEqual(wanted);
  expect(isDeepStrictEqual(value, wanted)).toBe(true);
}

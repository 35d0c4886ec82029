// The same engine adapter and file functions as in the sidecar, without the sidecar around them: the floor.
import { limitsSchema, scopeSchema } from '@mustard-sandbox/daemon/protocol';
import { loadBinding } from '../../packages/sandbox-daemon/dist/engine/binding.js';
import { Engine } from '../../packages/sandbox-daemon/dist/engine/engine.js';
import { runScript } from '../../packages/sandbox-daemon/dist/server/run.js';

const engine = new Engine(loadBinding());
const noWatchdog = { arm() {}, disarm() {}, now: () => performance.now() };
const { signal } = new AbortController();
const noHost = () => Promise.reject(new Error('This run has no host functions.'));

/**
 * Runs a script in this process.
 *
 * @param {ReturnType<typeof runParams>} params
 * @param {(name: string, args: unknown) => Promise<{ value: unknown }>} [callHost]
 */
export function runInProcess(params, callHost = noHost) {
  return runScript(params, { engine, watchdog: noWatchdog, signal, console() {}, callHost });
}

/** The parameters of `sandbox/run`, with the defaults filled in. */
export function runParams({ script, scope = {}, limits = {}, hostFunctions = [] }) {
  return {
    runId: 'bench',
    script,
    scope: scopeSchema.parse(scope),
    limits: limitsSchema.parse(limits),
    hostFunctions,
  };
}

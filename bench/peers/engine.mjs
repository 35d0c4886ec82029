// The same engine adapter, lowering and file functions as in the sidecar, without the sidecar around them: the floor.
import { createRequire } from 'node:module';
import { limitsSchema, scopeSchema } from '@mustard-sandbox/daemon/protocol';
import { loadBinding } from '../../packages/sandbox-daemon/dist/engine/binding.js';
import { Engine } from '../../packages/sandbox-daemon/dist/engine/engine.js';
import { runScript } from '../../packages/sandbox-daemon/dist/server/run.js';

const loadFrontEnd = () => createRequire(import.meta.url)('../../packages/sandbox-daemon/dist/lowering.cjs');
const noWatchdog = { arm: () => performance.now(), disarm() {}, now: () => performance.now() };
const { signal } = new AbortController();
const noHost = () => Promise.reject(new Error('This run has no host functions.'));

/** @param {(message: string) => void} [onFault] hears of a rule of the front end that failed */
export function loweringEngine(onFault = () => {}) {
  return new Engine({ ...loadBinding(), loadFrontEnd, onFault });
}

/** Scripts run as they are written. */
export function plainEngine() {
  return new Engine(loadBinding());
}

const usual = loweringEngine();

/**
 * Runs a script in this process.
 *
 * @param {ReturnType<typeof runParams>} params
 * @param {{ callHost?: import('../../packages/sandbox-daemon/dist/server/run.js').RunEnvironment['callHost'], engine?: Engine }} [around]
 */
export function runInProcess(params, { callHost = noHost, engine = usual } = {}) {
  return runScript(params, { engine, watchdog: noWatchdog, signal, console() {}, callHost });
}

/**
 * The parameters of `sandbox/run`, with the defaults filled in.
 *
 * @param {{ script: string, scope?: object, limits?: object, hostFunctions?: string[] }} params
 */
export function runParams({ script, scope = {}, limits = {}, hostFunctions = [] }) {
  return {
    runId: 'bench',
    script,
    scope: scopeSchema.parse(scope),
    limits: limitsSchema.parse(limits),
    hostFunctions,
  };
}

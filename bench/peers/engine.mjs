// The same engines and file functions as in the sidecar, without the sidecar around them: the floor.
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { decodeValue, limitsSchema, scopeSchema } from '@mustard-sandbox/protocol';
import { RawJson } from '@mustard-sandbox/protocol/sidecar';
import { Engines } from '../../packages/sandbox-daemon/dist/engine/engines.js';
import { loadBinding } from '../../packages/sandbox-daemon/dist/engine/mustardscript/binding.js';
import { loadReadingBy } from '../../packages/sandbox-daemon/dist/engine/read/read.js';
import { runScript } from '../../packages/sandbox-daemon/dist/server/run.js';

const require = createRequire(import.meta.url);
/** Looked for from here, because this file is also part of a bundle somewhere else. */
const dist = pathToFileURL(require.resolve('@mustard-sandbox/daemon/main'));
loadReadingBy(() => require(fileURLToPath(new URL('reading.cjs', dist))));
const noWatchdog = { arm() {}, disarm() {}, now: () => performance.now() };
const { signal } = new AbortController();
const noHost = {
  send() {
    throw new Error('This run has no host functions.');
  },
  next() {
    throw new Error('This run has no host functions.');
  },
};

const usual = new Engines(loadBinding(), dist);

/**
 * Runs a script in this process.
 *
 * @param {ReturnType<typeof runParams>} params
 * @param {{ line?: import('../../packages/sandbox-daemon/dist/server/host-function-calls.js').HostLine }} [around]
 */
export async function runInProcess(params, { line = noHost } = {}) {
  const environment = { engines: usual, watchdog: noWatchdog, signal, console() {}, read() {}, line };
  try {
    return await runScript(params, environment);
  } finally {
    usual.prepareNext();
  }
}

/** The value of a run, as a client would have it. @param {Pick<import('../../packages/sandbox-daemon/dist/server/run.js').RunOutcome, 'value'>} outcome */
export function valueOf({ value }) {
  return 'json' in value && value.json instanceof RawJson ? value.json.parse() : decodeValue(value);
}

/**
 * The parameters of `sandbox/run`, with the defaults filled in.
 *
 * @param {{ script: string, scope?: object, limits?: object, hostFunctions?: string[], engine?: 'auto' | 'quickjs' | 'mustardscript' }} params
 */
export function runParams({ script, scope = {}, limits = {}, hostFunctions = [], engine = 'auto' }) {
  return {
    runId: 'bench',
    script,
    scope: scopeSchema.parse(scope),
    limits: limitsSchema.parse(limits),
    hostFunctions,
    engine,
  };
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createSandbox, SandboxError } from '@mustard-sandbox/client';
import { isAlive, sendSignal } from './processes.mjs';

/** @typedef {import('@mustard-sandbox/client').Sandbox} Sandbox */
/** @typedef {import('@mustard-sandbox/client').RunOptions} RunOptions */
/** @typedef {import('@mustard-sandbox/client').RunResult['warnings']} Warnings */
/** @typedef {{ code: string, value?: unknown, warnings?: Warnings, error?: any, sidecar?: number, ms: number }} Outcome */

/** @type {Set<Sandbox>} */
const open = new Set();
/** @type {Set<number>} */
const pids = new Set();
/** @type {string[]} */
const folders = [];

/** @type {import('@mustard-sandbox/client').SandboxOptions} */
let confinement = {};

/** A sidecar that does not end when told to is killed after one second. */
const closeMs = 5_000;

/** The facts of the run that the current code belongs to. An event does not tell whose run it is about. */
const currentRun = new AsyncLocalStorage();

/** The options for a sandbox of these commands, whose scripts read their own sources. */
export function confinedBy(isolation) {
  return isolation === 'jail' ? { isolation, roots: [fileURLToPath(new URL('.', import.meta.url))] } : { isolation };
}

/** Has every sandbox from now on confine its sidecars so. */
export function confineBy(isolation) {
  confinement = confinedBy(isolation);
}

/**
 * A sandbox whose processes end with this command, however it ends.
 *
 * @param {import('@mustard-sandbox/client').SandboxOptions} options
 */
export function openSandbox(options) {
  const sandbox = createSandbox({ ...confinement, ...options });
  open.add(sandbox);
  // In a jail the pid of the sidecar itself is known when it is ready.
  for (const event of /** @type {const} */ (['spawned', 'ready']))
    sandbox.on(event, ({ pid }) => pid !== undefined && trackProcess(pid));
  sandbox.on('run_started', ({ sidecar }) => Object.assign(currentRun.getStore() ?? {}, { sidecar }));
  sandbox.on('run_settled', ({ durationMs }) => Object.assign(currentRun.getStore() ?? {}, { ms: durationMs }));
  return sandbox;
}

/**
 * Runs a script and says how it ended: `OK`, the error's code, or `UNTYPED` for what no call may reject
 * with. `ms` is the time on the sidecar, without the time in the queue.
 *
 * @param {Sandbox} sandbox
 * @param {RunOptions} options
 * @param {{ sidecar?: number }} facts gets the sidecar's id once the run has started
 * @returns {Promise<Outcome>}
 */
export function outcomeOf(sandbox, options, facts = {}) {
  const outcome = Object.assign(facts, { ms: 0 });
  return currentRun.run(outcome, async () => {
    try {
      const { value, warnings } = await sandbox.run(options);
      return Object.assign(outcome, { code: 'OK', value, warnings });
    } catch (error) {
      return Object.assign(outcome, { code: error instanceof SandboxError ? error.code : 'UNTYPED', error });
    }
  });
}

/**
 * Whether the sandbox still works. The deadline is not the matter here.
 *
 * @param {Sandbox} sandbox
 */
export async function answersTwo(sandbox, timeoutMs = 10_000) {
  const { value } = await outcomeOf(sandbox, { script: '1 + 1', limits: { timeoutMs } });
  return value === 2;
}

/**
 * Closes the sandbox, and does not wait for ever: a `close()` that hangs is a finding too.
 *
 * @param {Sandbox} sandbox
 * @param {import('./report.mjs').Report} report
 */
export async function closeSandbox(sandbox, report) {
  open.delete(sandbox);
  report.must(await settlesWithin(closeMs, sandbox.close()), `close() did not settle within ${closeMs} ms`);
}

/**
 * Whether the promise settles in time. Meanwhile the host stays: a lost promise must not look like the end.
 *
 * @param {number} ms
 * @param {Promise<unknown>} promise
 */
export async function settlesWithin(ms, promise) {
  const patience = new AbortController();
  const late = sleep(ms, false, { signal: patience.signal }).catch(() => true);
  return await Promise.race([promise.then(() => true), late]).finally(() => patience.abort());
}

/** Has this process ended with the command. @param {number} pid */
export function trackProcess(pid) {
  pids.add(pid);
}

/** All processes so far that still run. */
export function survivors() {
  return [...pids].filter(isAlive);
}

/** A folder name that nobody else uses, see `markedProcesses`. */
export function makeMarker() {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'mustard-stress-'));
  folders.push(folder);
  return folder;
}

/** Ends every sandbox and process of this command. What does not end when asked is killed. */
export async function endEverything() {
  await settlesWithin(closeMs, Promise.allSettled([...open].map((sandbox) => sandbox.close())));
  for (const pid of survivors()) sendSignal(pid, 'SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

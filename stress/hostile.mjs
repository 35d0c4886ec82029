import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { engineNames } from '@mustard-sandbox/client';
import { statusBytes } from './processes.mjs';
import { percentiles, size, tenths } from './report.mjs';
import { answersTwo, closeSandbox, openSandbox, outcomeOf } from './sandboxes.mjs';

/** @typedef {{ id: string, script: string, expect: string[], why: string }} Case */
/** @typedef {import('./report.mjs').Report} Report */

const MiB = 1024 * 1024;
const memoryBytes = 512 * MiB;
/** What the corpus was written for: under less, a script may run out of time before it gets to what it does. */
const corpusTimeoutMs = 2_000;
const sampleMs = 5;
const delayResolutionMs = 5;
const atOnce = 8;

/**
 * @param {{ corpus: string, timeout: number, 'only-crowded'?: boolean }} options
 * @param {Report} report
 */
export async function run({ corpus, timeout, 'only-crowded': onlyCrowded }, report) {
  /** @type {Case[]} */
  const cases = JSON.parse(readFileSync(corpus, 'utf8'));
  /** @type {Record<string, object>} */
  const engines = {};
  for (const engine of engineNames) {
    const sequential = onlyCrowded
      ? undefined
      : await pass(`${engine}, one after another`, engine, 1, cases, timeout, report);
    // As many processes as callers: with fewer, most of the eight would wait in the queue and not run.
    const concurrent = await pass(`${engine}, ${atOnce} at a time`, engine, atOnce, cases, timeout, report);
    engines[engine] = { sequential, concurrent };
  }
  return { cases: cases.length, timeoutMs: timeout, memoryCapBytes: memoryBytes, engines };
}

/**
 * @param {string} title
 * @param {import('@mustard-sandbox/client').EngineName} engine
 * @param {number} callers
 * @param {Case[]} cases
 * @param {number} timeoutMs
 * @param {Report} report
 */
async function pass(title, engine, callers, cases, timeoutMs, report) {
  const sandbox = openSandbox({
    engine,
    maxProcesses: callers,
    memoryBytes,
    quarantineAfter: Number.MAX_SAFE_INTEGER,
    limits: { timeoutMs, scriptBytes: 128 * 1024 },
  });
  // Loading the client's modules blocks the host once; this is about what the scripts do.
  await sandbox.warm();
  report.row(`\n${title}\n${rowOf('id', 'code', 'over by', 'peak', 'then 1+1', '')}`);
  const delay = monitorEventLoopDelay({ resolution: delayResolutionMs });
  delay.enable();
  const queue = [...cases];
  const rows = [];
  const caller = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      rows.push(await check(sandbox, next, timeoutMs, callers > 1, report));
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  delay.disable();
  await closeSandbox(sandbox, report);
  return summarise(title, rows, Math.max(0, delay.max / 1e6 - delayResolutionMs), report);
}

/**
 * @param {import('./sandboxes.mjs').Sandbox} sandbox
 * @param {Case} hostile
 * @param {number} timeoutMs
 * @param {boolean} crowded
 * @param {Report} report
 */
async function check(sandbox, { id, script, expect }, timeoutMs, crowded, report) {
  const { code, ms, peakBytes, error } = await watched(sandbox, script);
  const works = await answersTwo(sandbox);
  // With less time or less processor than the corpus was written for, the deadline may come first.
  const mayBeLate = code === 'timeout' && (crowded || timeoutMs < corpusTimeoutMs);
  const expected = expect.includes(code) || mayBeLate;
  const contained = code !== 'UNTYPED' && works;
  const detail = error?.details?.limit ?? error?.details?.reason;
  const overMs = Math.max(0, ms - timeoutMs);
  const verdict = !contained ? 'NOT CONTAINED' : expected ? 'ok' : `UNEXPECTED, wanted ${expect.join(' or ')}`;
  const codeText = detail === undefined ? code : `${code} (${detail})`;
  report.row(rowOf(id, codeText, `${overMs.toFixed(1)} ms`, size(peakBytes), works ? '2' : 'NO', verdict));
  return { id, code, expected, contained, overMs, peakBytes };
}

/** Runs the script, and reads its sidecar's peak resident memory as long as there is a process to ask. */
async function watched(sandbox, script) {
  /** @type {{ sidecar?: number }} */
  const facts = {};
  /** @type {number | null} */
  let peakBytes = null;
  const sample = () => {
    const pid = sandbox.stats().processes.find(({ sidecar }) => sidecar === facts.sidecar)?.pid;
    const bytes = pid === undefined ? null : statusBytes(pid, 'VmHWM');
    if (bytes !== null) peakBytes = Math.max(peakBytes ?? 0, bytes);
  };
  const timer = setInterval(sample, sampleMs);
  const outcome = await outcomeOf(sandbox, { script }, facts);
  clearInterval(timer);
  // Most scripts are over before the first sample, with a sidecar that lives on.
  sample();
  return { ...outcome, peakBytes };
}

function summarise(title, rows, hostBlockedMs, report) {
  const notContained = rows.filter(({ contained }) => !contained).map(({ id }) => id);
  const unexpected = rows.filter(({ expected }) => !expected).map(({ id, code }) => `${id}: ${code}`);
  const maxPeakBytes = Math.max(0, ...rows.map(({ peakBytes }) => peakBytes ?? 0)) || null;
  report.must(notContained.length === 0, `${title}: not contained: ${notContained.join(', ')}`);
  report.must(unexpected.length === 0, `${title}: unexpected codes: ${unexpected.join(', ')}`);
  report.wanted(hostBlockedMs <= 100, `${title}: the host was blocked for ${hostBlockedMs.toFixed(1)} ms (wanted 100)`);
  report.wanted(
    (maxPeakBytes ?? 0) <= memoryBytes * 1.2,
    `${title}: ${size(maxPeakBytes)} resident, over the cap by more than a fifth`,
  );
  return {
    contained: rows.length - notContained.length,
    notContained,
    unexpected,
    codes: Object.fromEntries(rows.map(({ id, code }) => [id, code])),
    overDeadlineMs: percentiles(rows.filter(({ overMs }) => overMs > 0).map(({ overMs }) => overMs)),
    hostBlockedMs: tenths(hostBlockedMs),
    maxPeakBytes,
  };
}

function rowOf(id, code, over, peak, next, verdict) {
  return `  ${id.padEnd(24)}${code.padEnd(34)}${over.padStart(10)}${peak.padStart(9)}  ${next.padEnd(10)}${verdict}`.trimEnd();
}

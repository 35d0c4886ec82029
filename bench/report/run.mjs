import { readFileSync } from 'node:fs';

/**
 * What `npm run bench -- --json FILE` writes. Times are in ms, sizes in bytes, unless the `unit` says otherwise.
 *
 * @typedef {import('../statistics.mjs').Summary} Summary
 * @typedef {{
 *   version: 1, takenAt: string, mode: 'quick' | 'full', seconds: number,
 *   machine: import('../machine.mjs').Machine,
 *   failures: string[],
 *   judgements: import('../judge.mjs').Judgement[],
 *   figures: {
 *     name: string, title: string, timings: Record<string, Summary & { unit: string }>,
 *     skipped?: Record<string, string>,
 *     versions?: Record<string, string>, modules?: Record<string, number>,
 *   }[],
 *   growth: import('../growth/index.mjs').Growth[],
 * }} Run
 */

/** With four significant digits, which is more than any of them is good for. @param {Run} run */
export function toJson(run) {
  const short = (_key, value) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
  return `${JSON.stringify(run, short, 2)}\n`;
}

/** @param {string} path @returns {Run} */
export function readRun(path) {
  const run = JSON.parse(readFileSync(path, 'utf8'));
  if (run.version !== 1) throw new Error(`${path} is not what npm run bench -- --json writes.`);
  return run;
}

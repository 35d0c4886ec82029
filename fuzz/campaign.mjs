import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';

/** @typedef {{ target: string, seed: number, executions: number, findings: Finding[] }} Tally */
/** @typedef {{ law: string, seed: number, error: string, input: string, file: string }} Finding */
/**
 * A law that checks a series of input by itself, where one at a time is too slow. The same seed means the same input.
 *
 * @typedef {(which: { seed: number, numRuns: number }) => Promise<import('fast-check').RunDetails<any> | { numRuns: number, failed: false }>} Series
 */

const folder = fileURLToPath(new URL('../.fuzz/', import.meta.url));

/** For a batch with a finding, which is made small. Never in the middle of a run: what it left would disturb others. */
const batchMs = 60_000;
/** After so many a target is taken to be broken: more of them say nothing new. */
const usualFindings = 5;

/**
 * Checks laws in turn, batch after batch with seeds that count up, until the time is over.
 *
 * @param {{ target: string, seed: number, seconds: number, batches?: number, maxFindings?: number, stopped: () => boolean }} options
 *   `batches`: at most so many for each law, so that a faster machine looks at no other input
 * @param {{ laws: Record<string, import('fast-check').IRawProperty<any> | Series>, shares?: number[], batchRuns: number | number[] }} what
 *   `shares`: how the time is divided; `batchRuns`: so few that a batch ends soon after the time is up, for each law or
 *   for all
 * @param {(tally: Tally) => void} tell
 * @returns {Promise<Tally>}
 */
export async function campaign(
  { target, seed, seconds, batches = Infinity, maxFindings = usualFindings, stopped },
  { laws, shares, batchRuns },
  tell,
) {
  /** @type {Tally} */
  const tally = { target, seed, executions: 0, findings: [] };
  const names = Object.keys(laws);
  const parts = shares ?? names.map(() => 1);
  const part = (seconds * 1_000) / parts.reduce((sum, share) => sum + share, 0);
  for (const [index, name] of names.entries()) {
    const end = performance.now() + part * parts[index];
    const runs = typeof batchRuns === 'number' ? batchRuns : (batchRuns[index] ?? 1);
    const isOver = () => performance.now() >= end || stopped() || tally.findings.length >= maxFindings;
    for (let batch = 0; batch < batches && !isOver(); batch++) {
      const finding = await checkBatch(laws[name], { seed: seed + batch, numRuns: runs }, tally);
      if (finding !== undefined && !stopped()) tally.findings.push(save(target, name, finding));
      tell(tally);
    }
  }
  return tally;
}

async function checkBatch(law, which, tally) {
  const result = typeof law === 'function' ? await law(which) : await checkProperty(law, which);
  tally.executions += result.numRuns;
  // Interrupted before its first run it has failed without a counterexample.
  if (!result.failed || result.counterexample === null) return undefined;
  const error = result.errorInstance;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { seed: which.seed, error: text, value: result.counterexample };
}

function checkProperty(law, which) {
  return fc.check(law, {
    ...which,
    interruptAfterTimeLimit: batchMs,
    markInterruptAsFailure: false,
    includeErrorInReport: true,
  });
}

/** @returns {Finding} */
function save(target, law, { seed, error, value }) {
  mkdirSync(folder, { recursive: true });
  const file = `${folder}${target}-${law.replaceAll(/[^a-z]+/gi, '-')}-${seed}.txt`;
  const input = fc.stringify(value);
  writeFileSync(file, `npm run fuzz -- ${target} --seed ${seed}\n\n${input}\n\n${error}\n`);
  return { law, seed, error, input, file };
}

/** What must hold, or the law is broken. @param {unknown} holds @param {string} otherwise */
export function must(holds, otherwise) {
  if (!holds) throw new Error(otherwise);
}

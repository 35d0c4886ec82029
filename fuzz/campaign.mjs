import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';

/** @typedef {{ target: string, seed: number, executions: number, findings: Finding[] }} Tally */
/** @typedef {{ law: string, seed: number, error: string, input: string, file: string }} Finding */
/** @typedef {{ numRuns: number, failures: { error: unknown, value: unknown }[] }} Checked */
/**
 * A law that checks a series of input by itself, where one at a time is too slow. The same seed means the same input.
 *
 * @typedef {(which: { seed: number, numRuns: number }) => Promise<Checked>} Series
 */

const folder = fileURLToPath(new URL('../.fuzz/', import.meta.url));

/** For a batch with a finding, which is made small. Never in the middle of a run: what it left would disturb others. */
const batchMs = 60_000;
/** After so many a target is taken to be broken: more of them say nothing new. */
const usualFindings = 5;
/** Files of this run. @type {Set<string>} */
const saved = new Set();

/**
 * Checks laws in turn, batch after batch with seeds that count up, until the time is over. Several may be
 * under way at once: the next one is made while others are judged.
 *
 * @param {{ target: string, seed: number, seconds: number, batches?: number, maxFindings?: number, stopped: () => boolean }} options
 *   `batches`: at most so many for each law, so that a faster machine looks at no other input
 * @param {{ laws: Record<string, import('fast-check').IRawProperty<any> | Series>, shares?: number[], batchRuns: number | number[], abreast?: number[] }} what
 *   `shares`: how the time is divided; `abreast`: so many batches of each law at once (1); `batchRuns`: so few that a
 *   batch ends soon after the time is up, for each law or for all
 * @param {(tally: Tally) => void} tell
 * @returns {Promise<Tally>}
 */
export async function campaign(
  { target, seed, seconds, batches = Infinity, maxFindings = usualFindings, stopped },
  { laws, shares, batchRuns, abreast = [] },
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
    let batch = 0;
    const checkBatches = async () => {
      while (batch < batches && !isOver()) {
        const which = { seed: seed + batch++, numRuns: runs };
        const { numRuns, failures } = await checkBatch(laws[name], which);
        tally.executions += numRuns;
        for (const failure of stopped() ? [] : failures)
          tally.findings.push(save(target, name, { ...failure, seed: which.seed }));
        tell(tally);
      }
    };
    await Promise.all(Array.from({ length: abreast[index] ?? 1 }, checkBatches));
  }
  return tally;
}

/** @returns {Promise<Checked>} */
async function checkBatch(law, which) {
  if (typeof law === 'function') return await law(which);
  const result = await fc.check(law, {
    ...which,
    interruptAfterTimeLimit: batchMs,
    markInterruptAsFailure: false,
    includeErrorInReport: true,
  });
  // Interrupted before its first run it has failed without a counterexample.
  const isFound = result.failed && result.counterexample !== null;
  return {
    numRuns: result.numRuns,
    failures: isFound ? [{ error: result.errorInstance, value: result.counterexample }] : [],
  };
}

/** @returns {Finding} */
function save(target, law, { seed, error: cause, value }) {
  mkdirSync(folder, { recursive: true });
  const error = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  const name = `${folder}${target}-${law.replaceAll(/[^a-z]+/gi, '-')}-${seed}`;
  // A series may have found more than one.
  let file = `${name}.txt`;
  for (let more = 2; saved.has(file); more++) file = `${name}-${more}.txt`;
  saved.add(file);
  const input = fc.stringify(value);
  writeFileSync(file, `npm run fuzz -- ${target} --seed ${seed}\n\n${input}\n\n${error}\n`);
  return { law, seed, error, input, file };
}

/** What must hold, or the law is broken. @param {unknown} holds @param {string} otherwise */
export function must(holds, otherwise) {
  if (!holds) throw new Error(otherwise);
}

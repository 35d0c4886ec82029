// What a script costs here beside what it costs in QuickJS alone, with the same files: processor time, in this process.
import { join } from 'node:path';
import { runBare } from '../bench/peers/bare-quickjs.mjs';
import { runInProcess, runParams, valueOf } from '../bench/peers/engine.mjs';
import { isRight } from './judge.mjs';

const rounds = 3;
/** Below it is what any run costs, and no script's work. */
const leastMs = 20;

/**
 * @param {{ folder: string, attached: string[], questions: { id: string, answer: unknown }[] }} place
 * @param {(question: any) => () => Promise<{ script?: string }>} source
 * @param {{ signal: AbortSignal, say: (text: string) => void }} options
 * @returns {Promise<Compared[]>}
 * @typedef {{ id: string, engine: string, ms: number, bareMs: number, ratio: number, isRight: boolean }} Compared
 */
export async function compare({ folder, attached, questions }, source, { signal, say }) {
  const attachments = attached.map((name) => ({ name, path: join(folder, name) }));
  const scope = { root: join(folder, 'project'), attachments };
  const compared = [];
  for (const { id, answer } of questions) {
    const { script } = await source({ id })();
    if (signal.aborted) break;
    // What these take is the time of DuckDB and of the reader of PDF, in a thread that only the sidecar's bundle has.
    if (script === undefined || /\b(?:query|pdf_text)\(/.test(script)) continue;
    const one = await compareOne({ script, scope }, answer).catch(({ message }) => message.split('\n')[0]);
    if (typeof one === 'string') say(`skipped  ${id}: ${one}`);
    else {
      compared.push({ id, ...one });
      say(`${one.ratio.toFixed(2).padStart(6)} ${id}: ${Math.round(one.ms)} ms, bare ${Math.round(one.bareMs)} ms`);
    }
  }
  return compared;
}

/** In turn, so that a machine that slows down slows both; the least of the rounds is what nothing disturbed. */
async function compareOne(job, answer) {
  const params = runParams({ ...job, limits: { timeoutMs: 30_000 } });
  const ways = [() => runInProcess(params), () => runBare(job)];
  const times = [Infinity, Infinity];
  const results = [];
  for (let round = 0; round < rounds; round++) {
    for (const [at, way] of ways.entries()) {
      const before = process.cpuUsage();
      results[at] = await way();
      const { user, system } = process.cpuUsage(before);
      times[at] = Math.min(times[at], (user + system) / 1000);
    }
  }
  const [ms, bareMs] = times;
  const ratio = Math.max(ms, leastMs) / Math.max(bareMs, leastMs);
  return { engine: results[0].engine, ms, bareMs, ratio, isRight: isRight(valueOf(results[0]), answer) };
}

/** @param {Compared[]} compared */
export function describeCompared(compared) {
  const byRatio = compared.toSorted((one, other) => other.ratio - one.ratio);
  const median = byRatio[Math.floor(byRatio.length / 2)]?.ratio ?? 1;
  const over = byRatio.filter(({ ratio }) => ratio > 2).length;
  const worst = byRatio.slice(0, 10).map(({ id, ratio, ms }) => `${ratio.toFixed(2)} ${id} (${Math.round(ms)} ms)`);
  return `\n- processor time, to QuickJS alone: the median ${median.toFixed(2)}, over 2: ${over} of ${compared.length}\n- the worst: ${worst.join(', ')}`;
}

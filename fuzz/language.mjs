import { availableParallelism } from 'node:os';
import { SandboxError } from '@mustard-sandbox/client';
import fc from 'fast-check';
import { openSandbox, outcomeOf } from '../stress/sandboxes.mjs';
import { must } from './campaign.mjs';
import { canonical } from './language/canonical.mjs';
import { openChoosing } from './language/choosing.mjs';
import { program } from './language/grammar/index.mjs';
import { hostileScript } from './language/hostile.mjs';
import { judge, judgeByCause } from './language/judge.mjs';
import { ProgramRunner } from './language/program-runner.mjs';
import { checkList, checkSeries } from './language/series.mjs';
import { tablePrograms } from './language/tables/index.mjs';

/** A run is bounded by instructions; the clock is for what hangs, on the slowest machine. */
const limits = { timeoutMs: 60_000, instructions: 20_000_000 };
/** So few that a batch ends soon after the time is up. */
const batchRuns = 2_000;
/** Most of the work is theirs: V8 and this process have the rest of a core. */
const engineProcesses = Math.max(2, availableParallelism());
/** So many batches at once: one is made, or judged again, while the engines have others. */
const abreast = engineProcesses + 1;
/** What a client may hear about a script, whatever is in it. */
const typed = new Set([
  'OK',
  'parse_error',
  'unsupported_syntax',
  'script_error',
  'limit_exceeded',
  'timeout',
  'sidecar_crashed',
  'quarantined',
]);

/** @typedef {(sources: string[]) => Promise<import('./language/judge.mjs').SandboxOutcome[]>} Run in the sandbox */

/**
 * Programs in V8 and in the sandbox: the same value, or a typed refusal, or a difference that docs/language.md lists.
 *
 * @param {{ tables?: boolean, choose?: boolean, programs?: number }} [options] `choose`: what `auto` gives to MustardScript, no other law; `programs`: so many of the grammar, in whole batches, and no
 *   other law
 */
export async function open({ tables = false, choose = false, programs: wantedPrograms } = {}) {
  if (choose) return openChoosing({ programs: wantedPrograms });
  /** @type {ProgramRunner<import('./language/judge.mjs').WantedOutcome>} */
  const v8 = new ProgramRunner('v8-child.mjs');
  /** For one program at a time: in the queue of the others it would wait for thousands at each step of making it small. */
  const alone = {
    /** @type {ProgramRunner<import('./language/judge.mjs').WantedOutcome>} */
    v8: new ProgramRunner('v8-child.mjs'),
    /** @type {ProgramRunner<import('./language/judge.mjs').SandboxOutcome>} */
    engine: new ProgramRunner('engine-child.mjs'),
  };
  /** @type {ProgramRunner<import('./language/judge.mjs').SandboxOutcome>[]} */
  const engines = Array.from({ length: engineProcesses }, () => new ProgramRunner('engine-child.mjs'));
  const sandbox = openSandbox({ maxProcesses: 1, spares: 1, maxTimeoutMs: limits.timeoutMs });
  /** Of the programs that the grammar made. What they become while one is made small is not counted. */
  const tally = { tried: 0, same: 0, refused: 0, documented: 0, skipped: 0, wrong: 0 };

  let turn = 0;
  /** Each has its own queue, so that the next batch is there when one is done. @type {Run} */
  const runInEngine = (sources) =>
    (sources.length === 1 ? alone.engine : engines[turn++ % engines.length]).run(sources);
  /** @type {Run} */
  const runInSandbox = (sources) => runInSidecar(sandbox, sources);

  /** @param {string[]} sources @param {Run} run */
  const verdictsOf = async (sources, run) => {
    const [wanted, got] = await Promise.all([v8.run(sources, { shared: true }), run(sources)]);
    const verdicts = [];
    for (const [index, source] of sources.entries()) {
      const first = judge(wanted[index], got[index]);
      // What is not plainly the same is asked again, where nothing but the program itself can be the cause.
      verdicts.push(first.verdict === 'wrong' ? await judgeAlone(source, run, got[index]) : first);
    }
    return verdicts;
  };

  /** @param {string} source @param {Run} run @param {import('./language/judge.mjs').SandboxOutcome} [seen] */
  const judgeAlone = async (source, run, seen) => {
    // In a context of its own: what an earlier program left behind is not the sandbox's fault.
    const [wanted] = await alone.v8.run([source]);
    const [first] = seen === undefined ? await run([source]) : [seen];
    // Who loses a process hears of it by a code from a real sidecar.
    const [got] = 'died' in first ? await runInSandbox([source]) : [first];
    /** @returns {Promise<[import('./language/judge.mjs').WantedOutcome, import('./language/judge.mjs').SandboxOutcome]>} */
    const runBoth = async (simpler) => [(await alone.v8.run([simpler]))[0], (await run([simpler]))[0]];
    const { verdict, why } = await judgeByCause(source, wanted, got, runBoth);
    return { verdict, why: `${why}, V8: ${JSON.stringify(wanted)}, sandbox: ${JSON.stringify(got)}\n\n${source}\n` };
  };

  const programs = () => tally;
  const close = async () => {
    for (const runner of [v8, alone.v8, alone.engine, ...engines]) runner.close();
    await sandbox.close();
  };

  // Each with programs of its own: seeds count up from 0.
  const otherSeed = ({ seed, numRuns }) => ({ seed: -1 - seed, numRuns });
  /** @param {Run} run @returns {import('./campaign.mjs').Series} */
  const series = (run) => (which) => checkSeries(program, which, stepsOf(run));
  /** @param {Run} run */
  const stepsOf = (run) => ({
    /** @param {string[]} sources */
    async judge(sources) {
      const verdicts = await verdictsOf(sources, run);
      tally.tried += verdicts.length;
      for (const { verdict } of verdicts) tally[verdict]++;
      return verdicts.map(({ verdict }) => verdict !== 'wrong');
    },
    /** @param {string} source */
    async check(source) {
      const { verdict, why } = await judgeAlone(source, run);
      must(verdict !== 'wrong', why);
    },
  });
  const around = { abreast: [abreast], remains: async () => [], close, programs };
  if (tables) {
    const cells = tablePrograms();
    const laws = {
      'every method with every kind of argument': (which) => checkList(cells, which, stepsOf(runInEngine)),
    };
    return { ...around, laws, batchRuns, batches: Math.ceil(cells.length / batchRuns) };
  }
  const sameAsInV8 = series(runInEngine);
  if (wantedPrograms !== undefined) {
    const laws = { 'the same as in V8, or refused': sameAsInV8 };
    return { ...around, laws, batchRuns, batches: Math.ceil(wantedPrograms / batchRuns) };
  }

  const laws = {
    'hostile scripts are refused with a code, in time': fc.asyncProperty(hostileScript(program), async (script) => {
      const { code, error } = await outcomeOf(sandbox, { script, limits });
      must(typed.has(code), `${code}: ${error}`);
      must(code === 'OK' || error instanceof SandboxError, `not typed: ${error}`);
      must(code !== 'timeout', 'it did not end in time');
    }),
    'the same in a real sidecar': (which) => series(runInSandbox)(otherSeed(which)),
    'the same as in V8, or refused': sameAsInV8,
  };
  return { ...around, laws, shares: [1, 1, 8], batchRuns: [40, 40, batchRuns], abreast: [1, 1, abreast] };
}

async function runInSidecar(sandbox, sources) {
  const outcomes = [];
  for (const script of sources) {
    const { code, value, error, warnings } = await outcomeOf(sandbox, { script, limits });
    if (code === 'OK') outcomes.push({ value: canonical(value), warnings: warnings?.map(({ id }) => id) });
    else outcomes.push({ code, message: error.message, construct: error.details?.construct });
  }
  return outcomes;
}

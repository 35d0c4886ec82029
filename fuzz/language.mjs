import { SandboxError } from '@mustard-sandbox/client';
import fc from 'fast-check';
import { openSandbox, outcomeOf } from '../stress/sandboxes.mjs';
import { must } from './campaign.mjs';
import { canonical } from './language/canonical.mjs';
import { program } from './language/grammar/index.mjs';
import { hostileScript } from './language/hostile.mjs';
import { judge, judgeByCause } from './language/judge.mjs';
import { ProgramRunner } from './language/program-runner.mjs';

/** So many go to a child process at once: a message costs as much as a program. */
const batchPrograms = 32;
const batch = fc.array(program, { minLength: 1, maxLength: batchPrograms, size: 'max' });

/** A run is bounded by instructions; the clock is for what hangs, on the slowest machine. */
const limits = { timeoutMs: 60_000, instructions: 20_000_000 };
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

/** Programs in V8 and in the sandbox: the same value, or a typed refusal, or a difference that docs/language.md lists. */
export async function open() {
  /** @type {ProgramRunner<import('./language/judge.mjs').WantedOutcome>} */
  const v8 = new ProgramRunner('v8-child.mjs');
  /** @type {ProgramRunner<import('./language/judge.mjs').SandboxOutcome>} */
  const engine = new ProgramRunner('engine-child.mjs');
  const sandbox = openSandbox({ maxProcesses: 1, spares: 1, maxTimeoutMs: limits.timeoutMs });
  const tally = { same: 0, refused: 0, documented: 0, skipped: 0, wrong: 0 };

  const check = async (sources, runInSandbox) => {
    const [wanted, got] = await Promise.all([v8.run(sources, { shared: true }), runInSandbox(sources)]);
    for (const [index, source] of sources.entries()) {
      const { verdict, why, seen } = await judgeAgain(source, wanted[index], got[index], runInSandbox);
      tally[verdict]++;
      must(verdict !== 'wrong', difference(source, seen, why));
    }
  };

  /** What is not plainly the same is asked again, where nothing but the program itself can be the cause. */
  const judgeAgain = async (source, wanted, got, runInSandbox) => {
    const seen = { wanted, got };
    const first = judge(wanted, got);
    if (first.verdict !== 'wrong') return { ...first, seen };
    // In a context of its own: what an earlier program left behind is not the sandbox's fault.
    seen.wanted = (await v8.run([source]))[0];
    // Who loses a process hears of it by a code from a real sidecar.
    if ('died' in got) seen.got = (await runInSidecar(sandbox, [source]))[0];
    /** @returns {Promise<[import('./language/judge.mjs').WantedOutcome, import('./language/judge.mjs').SandboxOutcome]>} */
    const runBoth = async (simpler) => [(await v8.run([simpler]))[0], (await runInSandbox([simpler]))[0]];
    return { ...(await judgeByCause(source, seen.wanted, seen.got, runBoth)), seen };
  };

  const laws = {
    'hostile scripts are refused with a code, in time': fc.asyncProperty(hostileScript(program), async (script) => {
      const { code, error } = await outcomeOf(sandbox, { script, limits });
      must(typed.has(code), `${code}: ${error}`);
      must(code === 'OK' || error instanceof SandboxError, `not typed: ${error}`);
      must(code !== 'timeout', 'it did not end in time');
    }),
    'the same in a real sidecar': fc.asyncProperty(program, (source) =>
      check([source], (all) => runInSidecar(sandbox, all)),
    ),
    'the same as in V8, or refused': fc.asyncProperty(batch, (sources) => check(sources, (all) => engine.run(all))),
  };
  const close = async () => {
    v8.close();
    engine.close();
    await sandbox.close();
  };
  return { laws, shares: [1, 1, 8], batchRuns: 40, remains: async () => [], close, programs: () => tally };
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

/**
 * The first line is what the report shows.
 *
 * @param {string} source
 * @param {{ wanted: import('./language/judge.mjs').WantedOutcome, got: import('./language/judge.mjs').SandboxOutcome }} seen
 * @param {string | undefined} why
 */
function difference(source, { wanted, got }, why) {
  return `${why}, V8: ${JSON.stringify(wanted)}, sandbox: ${JSON.stringify(got)}\n\n${source}\n`;
}

// npm run bench: what the sidecar costs and what it saves, measured side by side in this very run. `--help` lists it.
import { writeFileSync } from 'node:fs';
import { figures } from './figures/index.mjs';
import { judgeWithPatience } from './judge.mjs';
import { describeMachine } from './machine.mjs';
import { parseOptions, usage, UsageError } from './options.mjs';
import { toJson } from './report/run.mjs';
import { report } from './report/text.mjs';
import { Session } from './session.mjs';

const exitCodes = { failed: 1, usage: 2, interrupted: 130, terminated: 143 };
/** With `--check`: how often a figure that is too bad is measured. */
const attempts = 3;

let session;
let interrupted = false;

// Not `once`: a second Ctrl-C must not end the process before everything that it started has ended.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    interrupted = true;
    const code = signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
    void Promise.resolve(session?.close()).finally(() => process.exit(code));
  });
}

const progress = (text) => process.stderr.write(`${text}\n`);

/** @param {{ names: string[], quick: boolean, check: boolean, json: string | undefined }} options */
async function main({ names, quick, check, json }) {
  session = new Session({ quick, progress });
  const startedAt = performance.now();
  /** @type {import('./report/run.mjs').Run} */
  const run = {
    version: 1,
    takenAt: new Date().toISOString(),
    mode: quick ? 'quick' : 'full',
    seconds: 0,
    machine: describeMachine(),
    failures: [],
    judgements: [],
    figures: [],
    growth: [],
  };
  await measureAll(run, names, check ? attempts : 1).finally(() => session.close());
  if (interrupted) return;
  run.seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(report(run));
  if (json !== undefined) writeFileSync(json, toJson(run));
  const tooBad = check && run.judgements.some(({ verdict }) => verdict === 'too bad');
  process.exitCode = tooBad || run.failures.length > 0 ? exitCodes.failed : 0;
}

/** One that fails does not cost the minutes that the others took. */
async function measureAll(run, names, patience) {
  for (const [index, name] of names.entries()) {
    if (interrupted) return;
    progress(`${index + 1}/${names.length} ${name} …`);
    try {
      if (Object.hasOwn(figures, name)) await addFigure(run, name, patience);
      else run.growth.push(...(await session.measure(name)));
    } catch (/** @type {any} */ error) {
      run.failures.push(error.message);
      if (!interrupted) progress(error.message);
    }
  }
}

async function addFigure(run, name, patience) {
  const measure = async (attempt) => {
    if (attempt > 1) progress(`${name} is too bad: once more (${attempt} of ${patience}) …`);
    return await session.measure(name);
  };
  const { result, judgements } = await judgeWithPatience(name, measure, patience);
  const { ratios: _, ...rest } = result;
  run.judgements.push(...judgements);
  run.figures.push({ name, title: figures[name].title, ...rest });
}

// A promise that never settles lets the process end early: that must not look like success.
process.exitCode = exitCodes.failed;
try {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(usage);
    process.exitCode = 0;
  } else await main(options);
} catch (/** @type {any} */ error) {
  if (!interrupted)
    process.stderr.write(error instanceof UsageError ? `${error.message}\n\n${usage}` : `${error.stack}\n`);
  process.exitCode = error instanceof UsageError ? exitCodes.usage : exitCodes.failed;
}

// npm run eval: how often the first script that a model writes is right. `--help` lists what it can do.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRight } from './judge.mjs';
import { parseOptions, usage, UsageError } from './options.mjs';
import { describe, pageOf } from './page.mjs';
import { askOne, summarize } from './run.mjs';
import { modelAt, scriptsIn } from './sources.mjs';
import { makeWorkplace, promptFor } from './workplace.mjs';

const say = (text) => process.stderr.write(`${text}\n`);

async function main(options) {
  if (options.help === true) return console.log(usage);
  const place = makeWorkplace(options);
  const stop = new AbortController();
  const end = () => {
    stop.abort();
    void place.close().finally(() => process.exit(130));
  };
  process.once('SIGINT', end);
  try {
    if (options.check === true) check(place, options.questions);
    else if (options.peek !== undefined) writePeeks(place, options.peek);
    else if (options.bare === true) await measure(place, options, stop.signal);
    else await evaluate(place, options, stop.signal);
  } finally {
    process.removeListener('SIGINT', end);
    await place.close();
  }
}

async function evaluate(place, options, signal) {
  const { tool, questions } = place;
  const source = options.scripts === undefined ? modelAt(options, place) : scriptsIn(options.scripts);
  const outcomes = [];
  for (const question of questions) {
    const outcome = await askOne(question, source(question), tool);
    // What is left would fail in a closed sandbox, and the figures would say so of the scripts.
    if (signal.aborted) return;
    outcomes.push(outcome);
    say(
      `${outcome.tries
        .map(({ right, cause }) => (right ? 'right' : cause))
        .join(', ')
        .padEnd(16)} ${question.id}`,
    );
  }
  const summary = summarize(outcomes);
  const who = options.model ?? options.scripts;
  const run = { who, takenAt: new Date().toISOString(), scale: options.scale, summary, outcomes };
  console.log(describe(summary));
  if (options.page !== undefined) writeFileSync(options.page, pageOf(run));
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(run, null, 2));
  if (options.atLeast !== undefined && summary.firstTryPercent < options.atLeast) {
    say(`Fewer than ${options.atLeast} % are right at the first try.`);
    process.exitCode = 1;
  }
}

async function measure(place, options, signal) {
  // Not before: who does not ask for it needs no such engine.
  const { compare, describeCompared } = await import('./bare.mjs');
  const compared = await compare(place, scriptsIn(options.scripts), { signal, say });
  if (signal.aborted) return;
  console.log(describeCompared(compared));
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(compared, null, 2));
}

/** Both ways to an answer must agree, or the question is no question. */
function check({ folder, questions: all }, list) {
  const truth = fileURLToPath(new URL(`truth_${list}.py`, import.meta.url));
  const { skipped = {}, ...answers } = JSON.parse(
    execFileSync('python3', [truth, folder], { encoding: 'utf8', maxBuffer: 2 ** 26 }),
  );
  for (const [start, library] of Object.entries(skipped)) say(`${start}* is not compared: Python has no ${library}.`);
  const questions = all.filter(({ id }) => !Object.keys(skipped).some((start) => id.startsWith(start)));
  const wrong = questions.filter(({ id, answer }) => !isRight(answers[id], answer));
  for (const { id, answer } of wrong) say(`${id}: ${JSON.stringify(answer)} or ${JSON.stringify(answers[id])}?`);
  console.log(`${questions.length - wrong.length} of ${questions.length} answers are the same in both ways.`);
  if (wrong.length > 0) process.exitCode = 1;
}

/** Everything that a model would get, and no answer. */
function writePeeks({ folder, questions, tool }, to) {
  mkdirSync(join(to, 'questions'), { recursive: true });
  writeFileSync(join(to, 'tool.md'), tool.description);
  for (const question of questions)
    writeFileSync(join(to, 'questions', `${question.id}.md`), promptFor(question, folder));
  say(
    `${questions.length} questions are in ${join(to, 'questions')}, the description of the tool is ${join(to, 'tool.md')}.`,
  );
  say(`Write NAME.js for each NAME.md into a folder, then: npm run eval -- --scripts FOLDER`);
}

try {
  await main(parseOptions(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  say(`eval: ${error.message}\n\n${usage}`);
  process.exitCode = 2;
}

// npm run test262 -- [OPTIONS]: how much of the conformance tests of JavaScript holds in the sandbox. `--help` lists it all.
import { writeFileSync } from 'node:fs';
import { fetchPackage, findPackage } from './install.mjs';
import { parseOptions, usage, UsageError } from './options.mjs';
import { describe, pageOf } from './page.mjs';
import { Runner } from './run.mjs';
import { outcomeOf } from './tally.mjs';
import { listTests } from './tests.mjs';

const exitCodes = { failed: 1, usage: 2, interrupted: 130, terminated: 143 };
const stop = new AbortController();
const say = (text) => process.stderr.write(`${text}\n`);

/** @param {ReturnType<typeof parseOptions>} options */
async function main(options) {
  if (options.help === true) return void process.stdout.write(usage);
  const root = options.root ?? findPackage() ?? (await fetchPackage(stop.signal));
  const files = await listTests(root, options.names);
  const runner = new Runner(root);
  stop.signal.addEventListener('abort', () => runner.close());
  let toldAt = performance.now();
  const tell = (done) => {
    if (performance.now() - toldAt < 5_000 && done < files.length) return;
    toldAt = performance.now();
    say(`${done} of ${files.length} tests`);
  };
  try {
    const results = await runner.run(files, { tell, signal: stop.signal });
    if (!stop.signal.aborted) await report(results, options);
  } finally {
    runner.close();
  }
}

/** @param {import('./run.mjs').Result[]} results @param {ReturnType<typeof parseOptions>} options */
async function report(results, { lists, outside, page, json }) {
  for (const result of results) {
    const outcome = outcomeOf(result);
    if (!lists.includes(outcome) || (result.group !== undefined && !outside)) continue;
    const where = result.group === undefined ? '' : `[${result.group}] `;
    console.log(`${outcome.padEnd(10)} ${where}${result.file}${result.why === undefined ? '' : `: ${result.why}`}`);
  }
  console.log(describe(results));
  if (json !== undefined) writeFileSync(json, JSON.stringify(results, null, 1));
  if (page !== undefined) writeFileSync(page, await formatted(page, pageOf(results)));
}

/** As `npm run format` would leave it. @param {string} file @param {string} text */
async function formatted(file, text) {
  const { format, resolveConfig } = await import('prettier');
  return await format(text, { ...(await resolveConfig(file)), parser: 'markdown' });
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    process.exitCode = signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
    stop.abort();
  });
}

try {
  await main(parseOptions(process.argv.slice(2)));
} catch (/** @type {any} */ error) {
  if (stop.signal.aborted) process.exitCode ??= exitCodes.interrupted;
  else if (error instanceof UsageError) {
    say(`${error.message}\n\n${usage}`);
    process.exitCode = exitCodes.usage;
  } else {
    say(error?.message ?? String(error));
    process.exitCode = exitCodes.failed;
  }
}

// npm run stress -- COMMAND [options]: proves that nothing a script does can hurt the host. `--help` lists it all.
import { availableParallelism } from 'node:os';
import { commands, help, parseCommand, UsageError } from './commands.mjs';
import { confineBy, endEverything } from './sandboxes.mjs';
import { Report } from './report.mjs';

const exitCodes = { missed: 1, usage: 2, interrupted: 130, terminated: 143 };

let interrupted = false;

// Not `once`: a second Ctrl-C must not end the process before everything that it started has ended.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    interrupted = true;
    const code = signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
    void endEverything().finally(() => process.exit(code));
  });
}

/**
 * @param {string} name
 * @param {Record<string, any>} options
 */
async function main(name, options) {
  const report = new Report();
  const startedAt = performance.now();
  confineBy(options.isolation);
  const { run } = await commands[name].load();
  const figures = await run(options, report).finally(endEverything);
  // What is still under way fails now, which says nothing.
  if (interrupted) return;
  const { missed, slow } = report;
  const ok = missed.length === 0 && (slow.length === 0 || options['no-speed'] === true);
  for (const text of missed) report.progress(`MISSED: ${text}`);
  for (const text of slow) report.progress(`${options['no-speed'] ? 'slow, not counted' : 'TOO SLOW'}: ${text}`);
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const machine = {
    node: process.version,
    platform: process.platform,
    arch: process.arch,
    cpus: availableParallelism(),
  };
  process.stdout.write(
    `${JSON.stringify({ command: name, isolation: options.isolation, ok, ...figures, missed, slow, seconds, machine })}\n`,
  );
  process.exitCode = ok ? 0 : exitCodes.missed;
}

// A promise that never settles lets the process end early: that must not look like success.
process.exitCode = exitCodes.missed;
try {
  const parsed = parseCommand(process.argv.slice(2));
  if (parsed === 'help') {
    process.stdout.write(help());
    process.exitCode = 0;
  } else await main(parsed.name, parsed.options);
} catch (/** @type {any} */ error) {
  if (!interrupted)
    process.stderr.write(error instanceof UsageError ? `${error.message}\n\n${help()}` : `${error?.stack ?? error}\n`);
  process.exitCode = error instanceof UsageError ? exitCodes.usage : exitCodes.missed;
}

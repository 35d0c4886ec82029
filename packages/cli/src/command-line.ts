import { readFileSync } from 'node:fs';
import { exitCodes } from './exit-code.ts';
import { failureOf } from './failure.ts';
import { isStdoutClosed, writeLine } from './output.ts';
import { runProgram } from './program.ts';
import { failureReport, printJson, type Report } from './report.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** From within, a closed stdout looks the same as one that Node's `stdio: 'ignore'` has turned off. */
const lostOutput =
  'stdout is closed or ignored, so the output would be lost. To do without it, use > /dev/null, or ignore stderr too.';

/**
 * Runs the command in `args` and prints its outcome, including failures.
 *
 * @param stop asks the command to end; `cause` says what did that, such as a signal
 * @returns the exit code of the process
 */
export async function runCommandLine(
  args: string[],
  stop: { readonly signal: AbortSignal; readonly cause: string | undefined },
): Promise<number> {
  // A server prints only its address.
  if (args[0] !== 'serve' && isStdoutClosed()) {
    writeLine(process.stderr, `error: ${lostOutput}`);
    return exitCodes.usage;
  }
  // This is looked for here too, because errors about the command line itself must also be printed as JSON.
  const options = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const wantsJson = options.some((arg) => arg === '--json' || arg.startsWith('--json='));

  const report = await runProgram(args, { version, signal: stop.signal }).catch((error: unknown): Report =>
    failureReport(failureOf(error, stop.cause)),
  );
  if (report !== undefined) {
    if (!wantsJson) report.print();
    else if (report.json !== undefined) printJson(report.json);
  }
  return report?.exitCode ?? exitCodes.done;
}

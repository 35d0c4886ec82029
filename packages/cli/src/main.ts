import { readFileSync } from 'node:fs';
import { exitCodes } from './exit-code.ts';
import { failureOf } from './failure.ts';
import { Interrupt } from './interrupt.ts';
import { watchOutput } from './output.ts';
import { runProgram } from './program.ts';
import { failureReport, printJson, type Report } from './report.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const args = process.argv.slice(2);
const interrupt = new Interrupt();
interrupt.listen();
watchOutput(() => interrupt.stop('a closed pipe'), exitCodes.usage);

// Looked for here too, because what is wrong with the command line must be said as JSON as well.
const options = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
const wantsJson = options.some((arg) => arg === '--json' || arg.startsWith('--json='));

const report = await runProgram(args, { version, signal: interrupt.signal }).catch((error: unknown): Report =>
  failureReport(failureOf(error, interrupt.cause)),
);
if (report !== undefined) {
  if (!wantsJson) report.print();
  else if (report.json !== undefined) printJson(report.json);
}
// Not process.exit(): on some platforms what was written to a pipe is still on its way.
process.exitCode = report?.exitCode ?? exitCodes.done;

import { runCommand } from './command/run.ts';

// Not process.exit(): on some platforms it would drop what was written to a pipe and not yet sent.
process.exitCode = await runCommand(process.argv.slice(2));

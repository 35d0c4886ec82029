import { runCommand } from './command/run.ts';

// On some platforms process.exit() would drop output that is written to a pipe and not yet sent.
process.exitCode = await runCommand(process.argv.slice(2));

import { runCommandLine } from './command-line.ts';
import { exitCodes } from './exit-code.ts';
import { Interrupt } from './interrupt.ts';
import { watchOutput } from './output.ts';

const interrupt = new Interrupt();
interrupt.listen();
watchOutput(() => interrupt.stop('a closed pipe'), exitCodes.usage);

// `process.exit()` would, on some platforms, drop what was written to a pipe and not yet sent.
process.exitCode = await runCommandLine(process.argv.slice(2), interrupt);

import { Command, CommanderError } from 'commander';
import type { DoctorFlags } from './commands/doctor.ts';
import type { RunFlags } from './commands/run.ts';
import { exitCodes } from './exit-code.ts';
import { UsageError } from './failure.ts';
import { helpTexts } from './help.ts';
import type { Report } from './report.ts';

export interface ProgramContext {
  version: string;
  signal: AbortSignal;
}

const name = 'mustard-sandbox';
const jsonHelp = 'print exactly one JSON object on stdout';

/**
 * Runs the command that `args` ask for; `undefined` when that was only help or the version.
 *
 * @throws {UsageError} what is wrong with `args`; {SandboxError} what a command ran into
 */
export async function runProgram(args: string[], context: ProgramContext): Promise<Report | undefined> {
  let report: Report | undefined;
  const program = createProgram(context, (result) => (report = result));
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usageErrorOf(error, program, args);
  }
  return report;
}

function createProgram({ version, signal }: ProgramContext, done: (report: Report) => void): Command {
  // Commands are loaded when they are called: help and version need no client.
  const program = new Command(name)
    .description('Runs small scripts over big files, in a process that cannot take yours down.')
    .version(version, '-V, --version', 'print the version')
    .exitOverride()
    // Errors are printed in one place, which also knows --json.
    .configureOutput({ outputError: () => {}, writeErr: () => {} })
    .addHelpText('after', helpTexts.program)
    // An end before the command has said how it went must not pass for success.
    .hook('preAction', () => void (process.exitCode = exitCodes.sidecar));
  program
    .command('run')
    .description('Run a script and print its value.')
    .argument('<file>', 'the script, or - for stdin')
    .option('--root <dir>', 'folder that the script may read in')
    .option('--attach <file>', 'file that the script reads as attachments:<its name>; also NAME=FILE', collect, [])
    .option('--input <name=json>', 'global variable of the script', collect, [])
    .option('--timeout <time>', 'such as 500ms, 2s or 1m (default: 2s, at most 60s); raises the instruction limit too')
    .option('--heap <size>', 'memory of the script, such as 64mb (default: 64mb, at most 256mb)')
    .option('--json', jsonHelp)
    .addHelpText('after', helpTexts.run)
    .action(async (file: string, flags: RunFlags) => {
      const { run } = await import('./commands/run.ts');
      done(await run(file, flags, signal));
    });
  program
    .command('validate')
    .description('Check a script without running it.')
    .argument('<file>', 'the script, or - for stdin')
    .option('--json', jsonHelp)
    .addHelpText('after', helpTexts.validate)
    .action(async (file: string) => {
      const { validate } = await import('./commands/validate.ts');
      done(await validate(file, signal));
    });
  program
    .command('recipes')
    .description('List scripts to start from, or print one.')
    .argument('[name]', 'the recipe to print')
    .option('--json', jsonHelp)
    .addHelpText('after', helpTexts.recipes)
    .action(async (recipe: string | undefined) => {
      const { recipes } = await import('./commands/recipes.ts');
      done(recipes(recipe));
    });
  program
    .command('doctor')
    .description('Look at the installation: platform, engine, one script there and back.')
    .option('--stress', 'also try to hurt the host with scripts that hang, crash and exhaust, for a few seconds')
    .option('--json', jsonHelp)
    .addHelpText('after', helpTexts.doctor)
    .action(async (flags: DoctorFlags) => {
      const { doctor } = await import('./commands/doctor.ts');
      done(await doctor(version, flags, signal));
    });
  return program;
}

function collect(value: string, previous: string[]): string[] {
  return [...previous, value];
}

function usageErrorOf({ code, message }: CommanderError, program: Command, args: string[]): UsageError {
  const command = program.commands.find((command) => command.name() === args[0]);
  const help = `\`${[name, ...(command ? [command.name()] : [])].join(' ')} --help\` shows what there is`;
  if (code === 'commander.help') return new UsageError('No command is given.', help);
  const [problem = '', suggestion] = message.replace(/^error: /, '').split('\n');
  const hint = suggestion === undefined ? help : `${suggestion.replace(/^\(|\)$/g, '')} ${help}`;
  return new UsageError(`${problem.charAt(0).toUpperCase()}${problem.slice(1).replace(/\.$/, '')}.`, hint);
}

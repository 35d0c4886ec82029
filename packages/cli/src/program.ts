import { Command, CommanderError } from 'commander';
import { exitCodesHelp, type CommandContext } from './commands/command-context.ts';
import { definitions, programHelp } from './commands/index.ts';
import { exitCodes } from './exit-code.ts';
import { UsageError } from './failure.ts';
import type { Report } from './report.ts';

const name = 'mustard-sandbox';

/**
 * Runs the command in `args`; `undefined` when that was only help or the version.
 *
 * @throws {UsageError} for wrong `args`; {SandboxError} for a failure in a command
 */
export async function runProgram(
  args: string[],
  context: Pick<CommandContext, 'version' | 'signal'>,
): Promise<Report | undefined> {
  let report: Report | undefined;
  const program = createProgram({ ...context, done: (result) => (report = result) });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usageErrorOf(error, program, args);
  }
  return report;
}

function createProgram(context: CommandContext): Command {
  const program = new Command(name)
    .description('Runs small scripts over big files, in a process that cannot take yours down.')
    .version(context.version, '-V, --version', 'print the version')
    .exitOverride()
    // Errors are printed in one place, which also knows --json.
    .configureOutput({ outputError: () => {}, writeErr: () => {} })
    .addHelpText('after', `${programHelp}\n${exitCodesHelp}`)
    // If the process ends before the command reports a result, that must not look like success.
    .hook('preAction', () => void (process.exitCode = exitCodes.sidecar));
  for (const define of definitions) define(program, context);
  return program;
}

function usageErrorOf({ code, message }: CommanderError, program: Command, args: string[]): UsageError {
  const command = program.commands.find((command) => command.name() === args[0]);
  const help = `\`${[name, ...(command ? [command.name()] : [])].join(' ')} --help\` shows what there is`;
  if (code === 'commander.help') return new UsageError('No command is given.', help);
  const [problem = '', suggestion] = message.replace(/^error: /, '').split('\n');
  const hint = suggestion === undefined ? help : `${suggestion.replace(/^\(|\)$/g, '')} ${help}`;
  return new UsageError(`${problem.charAt(0).toUpperCase()}${problem.slice(1).replace(/\.$/, '')}.`, hint);
}

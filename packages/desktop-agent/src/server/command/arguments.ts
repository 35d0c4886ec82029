import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, CommanderError, InvalidArgumentError } from 'commander';

const programName = 'mustard-agent';

export interface Arguments {
  /** Absolute. */
  folder: string | undefined;
  port: number;
  /** Absolute. */
  data: string;
  open: boolean;
  newDatabase: boolean;
}

const exitCodesHelp = `
Exit codes:
  0  ended by Ctrl-C or a signal, or another mustard-agent with that data is at work
  2  the arguments cannot be used
  3  it could not start: the message says why and what to do
  4  something went wrong inside

Nothing leaves this machine but what you send to a model. The address that is printed opens everything: keep it.`;

/**
 * Parses what the person asks for. If it is help or the version, it prints that and returns `undefined`.
 *
 * @throws {CommanderError} for wrong arguments, with a message for a person
 */
export function parseArguments(args: readonly string[], version: string): Arguments | undefined {
  const program = new Command(programName)
    .description('A local-first coding and data agent in the browser of your own machine.')
    .argument('[folder]', 'the folder of a project to begin with')
    .option('-p, --port <number>', 'listen on this port of 127.0.0.1 instead of any free one', toPort)
    .option('-d, --data <folder>', 'keep chats, settings and attachments here', defaultDataFolder())
    .option('--no-open', 'print the address and do not open the browser')
    .option('--new-database', 'if the database is damaged, keep it under another name and begin a new one')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .addHelpText('after', exitCodesHelp)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .action(() => {});
  try {
    program.parse(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return undefined;
    throw error;
  }
  const options = program.opts<{ port?: number; data: string; open: boolean; newDatabase?: boolean }>();
  const [folder] = program.args;
  return {
    folder: folder === undefined ? undefined : resolve(folder),
    port: options.port ?? 0,
    data: resolve(options.data),
    open: options.open,
    newDatabase: options.newDatabase === true,
  };
}

function toPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a number from 0 to 65535.');
}

/** The usual place for data of programs on each system. */
function defaultDataFolder(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
  home = homedir(),
): string {
  // The specification says to ignore a relative path: https://specifications.freedesktop.org/basedir-spec
  const absolute = (path: string | undefined): string | undefined =>
    path && path === resolve(path) ? path : undefined;
  if (platform === 'win32') return join(absolute(env['APPDATA']) ?? join(home, 'AppData', 'Roaming'), programName);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', programName);
  return join(absolute(env['XDG_DATA_HOME']) ?? join(home, '.local', 'share'), programName);
}

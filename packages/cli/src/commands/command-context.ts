import type { Command } from 'commander';
import type { Report } from '../report.ts';

/** What a command gets from its surroundings. */
export interface CommandContext {
  version: string;
  /** Aborted by Ctrl-C and similar signals. */
  signal: AbortSignal;
  /** Takes the outcome; called once, unless the action rejects. */
  done: (report: Report) => void;
}

/**
 * Adds one command to the program. It defines what can be typed and what the help shows. It loads the command's action
 * only when the command is called, because help, version and completion need no client.
 */
export type Definition = (program: Command, context: CommandContext) => void;

export function withOutput(command: Command): Command {
  return command
    .option('--json', 'print exactly one JSON object on stdout')
    .option('-q, --quiet', 'print only the result and errors');
}

/** Adds the options that say which attachments are meant. */
export function withStore(command: Command): Command {
  return command
    .option('--root <dir>', 'folder of the attachments (default: the working directory)')
    .option('--media-dir <dir>', 'media folder below that folder (default: .dyad/media)');
}

/** Adds the options that say what a script may read and use. */
export function withScope(command: Command): Command {
  return withRemote(withConfiguration(command))
    .option('--root <dir>', 'folder that the script may read in')
    .option('--attach <file>', 'file that the script reads as attachments:<its name>; also NAME=FILE', collect, [])
    .option(
      '--stored',
      'let the script also read the files that attach has stored in the root or the working directory',
    )
    .option('--input <name=json>', 'global variable of the script', collect, [])
    .option('--timeout <time>', 'such as 500ms, 2s or 1m (default: 2s, at most 1h); raises the instruction limit too')
    .option('--heap <size>', 'memory of the script, such as 64mb (default: 64mb, at most 256mb)')
    .option('--isolation <how>', 'process, jail, or auto: a jail where one works (default: auto)')
    .option(...engineOption);
}

/** The option for every command that runs or checks scripts. */
export const engineOption = [
  '--engine <name>',
  'quickjs, mustardscript, or auto: chosen by the text of the script (default: auto)',
] as const;

/** Adds the option for the settings of the user, which hold where no flag is given. */
export function withConfiguration(command: Command): Command {
  return command.option('--config <file>', "configuration file in place of the user's own (docs/cli.md)");
}

/** Adds the options that say where scripts run, if not here. */
export function withRemote(command: Command): Command {
  return command
    .option('--remote <url>', 'run at a server of mustard-sandbox serve, such as http://127.0.0.1:7777 or unix:/PATH')
    .option('--token-file <file>', 'token for the server (default: the variable MUSTARD_SANDBOX_TOKEN)')
    .option('--ca <file>', "PEM file of the authority that signed the server's certificate")
    .option('--upload-dir', 'send the root to the server when it is not there, or to the fleet')
    .option('--fleet <url>', 'run at the workers of a queue, such as redis://HOST:6379; not with --remote')
    .option('--fleet-keys <file>', 'key of the tenant, as `mustard-sandbox fleet key` makes it')
    .option('--fleet-files <dir>', 'folder that this machine shares with the workers, or s3://BUCKET');
}

/** Collects the values of an option that may be given several times. */
export function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

export const exitCodesHelp = `
Exit codes:
  0  done
  1  the script's fault: syntax, an exception, a limit, a file that it may not read
  2  usage: a wrong option, a file that is not there
  3  the run took too long, or was cancelled
  4  the machine's fault: the sidecar crashed, the engine is not available, the disk is full`;

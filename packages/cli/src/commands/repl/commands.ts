import { printable } from '@mustard-sandbox/protocol/text';
import { exitCodes } from '../../exit-code.ts';
import { UsageError } from '../../failure.ts';
import { writeLine } from '../../output.ts';
import { readScript } from '../../read-script.ts';
import type { Report } from '../../report.ts';
import { describeFiles, listFiles } from './files.ts';
import { describeLimits, effectiveLimits, setLimit } from './limits.ts';
import { sessionLimits, type Session } from './session.ts';

/** What the commands of a session work on. */
export interface CommandTarget {
  session: Session;
  signal: AbortSignal;
  /** Runs a script as if it had been typed. */
  evaluate: (script: string) => Promise<Report>;
  leave: () => void;
}

interface DotCommand {
  usage: string;
  help: string;
  run(target: CommandTarget, args: string[]): Promise<Report> | Report;
}

const commands: Record<string, DotCommand> = {
  '.help': {
    usage: '.help',
    help: 'this list',
    run: () => said(helpText(), { commands: Object.keys(commands) }),
  },
  '.files': {
    usage: '.files [DIR]',
    help: 'what a script can read: attachments and the root, or one folder',
    async run({ session, signal }, [dir]) {
      const listing = await listFiles(session, dir, signal);
      return said(describeFiles(listing), { ...listing });
    },
  },
  '.limits': {
    usage: '.limits [NAME VALUE]',
    help: 'the limits of a run; sets one, such as .limits timeout 10s; .limits reset',
    run({ session }, [name, value]) {
      if (name === 'reset') session.limits = sessionLimits;
      else if (name !== undefined) {
        if (value === undefined) throw new UsageError(`.limits: ${name} to what?`, 'for example .limits timeout 10s');
        session.limits = setLimit(session.limits, name, value);
      }
      return said(describeLimits(session.limits), { limits: effectiveLimits(session.limits) });
    },
  },
  '.load': {
    usage: '.load FILE',
    help: 'run a script as if it had been typed',
    async run({ evaluate, signal }, [file]) {
      if (file === undefined || file === '-') throw new UsageError('.load: which file?', 'for example .load count.js');
      return evaluate((await readScript(file, signal)).replace(/^#!.*/, '').trimEnd());
    },
  },
  '.script': {
    usage: '.script',
    help: 'what is run before the next input',
    run: ({ session: { script } }) => said(printable(script), { script }),
  },
  '.keep': {
    usage: '.keep',
    help: 'keep the last input, because it changed something unseen',
    async run({ session }) {
      if (!(await session.keep())) throw new UsageError('.keep: there is no last input that could be kept.');
      return said('', {});
    },
  },
  '.undo': {
    usage: '.undo',
    help: 'take the last input back',
    run({ session }) {
      const taken = session.undo();
      if (taken === undefined) throw new UsageError('.undo: the session is empty.');
      return said(`taken back: ${printable(taken)}`, { taken });
    },
  },
  '.reset': {
    usage: '.reset',
    help: 'start over with an empty session',
    run({ session }) {
      session.reset();
      return said('', {});
    },
  },
  '.exit': {
    usage: '.exit',
    help: 'leave, as Ctrl-D does',
    run({ leave }) {
      leave();
      return said('', {});
    },
  },
};

export const commandNames = Object.keys(commands);

/** Whether a line is a command of the session. `.5` is a number. */
export function isCommand(line: string): boolean {
  return /^\s*\.[a-z]/i.test(line);
}

/** @throws {UsageError | SandboxError} */
export async function runCommand(line: string, target: CommandTarget): Promise<Report> {
  const [name = '', rest = ''] = line.trim().split(/\s+(.*)/s);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new UsageError(`There is no command '${name}'.`, '.help shows what there is');
  // A path may have spaces; `.limits` has a name and a value.
  const args = name === '.limits' ? rest.split(/\s+(.*)/s) : [rest];
  return await command.run(
    target,
    args.map((arg) => arg.trim()).filter((arg) => arg !== ''),
  );
}

function said(text: string, json: Record<string, unknown>): Report {
  return {
    json: { ok: true, ...json },
    print: () => text !== '' && writeLine(process.stdout, text),
    exitCode: exitCodes.done,
  };
}

function helpText(): string {
  const rows = Object.values(commands).map(({ usage, help }) => [usage, help] as const);
  const width = Math.max(...rows.map(([usage]) => usage.length));
  return [
    ...rows.map(([usage, help]) => `${usage.padEnd(width)}  ${help}`),
    'Ctrl-C cancels a run, or clears the line; twice on an empty line it leaves.',
  ].join('\n');
}

import { installedBuiltins, limitTable, type ScopeOptions } from '@mustard-sandbox/client';
import { parseInputs } from '../../arguments.ts';
import { readConfiguration } from '../../configuration/read.ts';
import { limitsOfFlags } from '../../limits.ts';
import { listStored } from '../../media.ts';
import { styled, writeLine } from '../../output.ts';
import { commandNames } from './commands.ts';
import { namesIn } from './effects.ts';
import { History, historyFile, maxHistory } from './history.ts';
import { Lines } from './lines.ts';
import { Repl } from './repl.ts';
import { Session, sessionLimits } from './session.ts';
import type { Report } from '../../report.ts';
import { engineOf, openSandbox, tellDegraded, type ScriptFlags } from '../../sandbox.ts';
import { readScope, rootsOf } from '../../scope.ts';

/** The flags as they were typed. */
export interface ReplFlags extends ScriptFlags {
  history: boolean;
}

/** @throws {UsageError} before the session begins; errors in the session are printed there */
export async function repl(flags: ReplFlags, signal: AbortSignal): Promise<Report> {
  const { json = false, quiet = false } = flags;
  const onTerminal = !json && process.stdin.isTTY && process.stdout.isTTY;
  const inputs = parseInputs(flags.input);
  const configuration = await readConfiguration(flags);
  const limits = { ...sessionLimits, ...limitsOfFlags(flags, configuration.limits) };
  const scope = readScope(flags, await listStored(flags));
  await using sandbox = await openSandbox(flags, {
    engine: engineOf(flags, configuration),
    maxTimeoutMs: limitTable.timeoutMs.ceiling,
    limits: sessionLimits,
    roots: rootsOf(scope),
  });
  tellDegraded(flags, sandbox, quiet ? undefined : (line) => writeLine(process.stderr, line));
  const session = new Session({ sandbox, scope, inputs, limits });
  const history = onTerminal && flags.history ? new History(historyFile(), tellNoHistory) : undefined;
  const loop = new Repl({ session, onTerminal, json, quiet, remember: (line) => history?.add(line) });
  using lines = new Lines({
    onTerminal,
    history: history?.lines ?? [],
    historySize: maxHistory,
    complete: completerFor(session, scope, Object.keys(inputs)),
    onInterrupt: () => loop.interrupt(),
  });
  signal.addEventListener('abort', () => {
    loop.interrupt();
    lines.end();
  });
  if (onTerminal && !quiet)
    writeLine(process.stdout, 'A script, line by line. .help lists the commands; Ctrl-D leaves.');
  const exitCode = await loop.run(lines);
  return { json: undefined, print: () => {}, exitCode };
}

function tellNoHistory({ message }: Error): void {
  writeLine(process.stderr, styled(process.stderr, 'dim', `There is no history: ${message}`));
}

/** Completes the last word: commands, functions, attachments, and names that the session has declared. */
function completerFor(session: Session, { attachments = [] }: ScopeOptions, inputs: string[]) {
  return (line: string): [string[], string] => {
    const word = /(?:^\.|attachments:|[A-Za-z_$])[^\s'"`()[\]{},;]*$/.exec(line)?.[0] ?? '';
    const words = word.startsWith('.')
      ? commandNames
      : [
          ...installedBuiltins(),
          ...attachments.map(({ name }) => `attachments:${name}`),
          ...inputs,
          ...namesIn(session.script),
        ];
    return [word === '' ? [] : [...new Set(words)].filter((candidate) => candidate.startsWith(word)), word];
  };
}

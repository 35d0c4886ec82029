import type { ReplFlags } from './action.ts';
import { exitCodesHelp, withOutput, withScope, type Definition } from '../command-context.ts';

export const defineRepl: Definition = (program, { signal, done }) => {
  const command = program.command('repl').description('Write a script line by line, and see what each line gives.');
  withOutput(withScope(command).option('--no-history', 'neither read nor write the history file'))
    .addHelpText('after', help)
    .action(async (flags: ReplFlags) => {
      const { repl } = await import('./action.ts');
      done(await repl(flags, signal));
    });
};

const help = `
The session is one script that grows: each input is added to it, and the whole script runs again, so that earlier
definitions are there. An input that failed is not kept. Earlier lines are run again each time: they read the same files
again, count towards the limits, and do not print again. The prompt shows the number of the line in that script;
errors name the same numbers. .script shows it, .undo takes the last input back, .reset starts over.

Ctrl-C cancels a run, or clears the line; twice on an empty line it leaves, as Ctrl-D does. .help lists the
commands: .files, .limits, .load, .script, .undo, .reset, .exit. On a terminal, history is kept in
$XDG_STATE_HOME/mustard-sandbox/repl-history (~/.local/state without it; %LOCALAPPDATA% on Windows).

Without a terminal, inputs are read from stdin as they would be typed, up to its end; the exit code is that of the
first one that failed. With --json there is one object for each input, on its own line:
  { "ok": true, "value", "executionMs", "instructionsUsed", "heapBytesUsed", "hostCalls", "bytesRead" } or
  { "ok": false, "error": { "code", "message", "details" } }

Examples:
  $ mustard-sandbox repl --root .
  $ mustard-sandbox repl --attach server.log --timeout 10s
  $ printf 'const n = 6\\nn * 7\\n' | mustard-sandbox repl --quiet
${exitCodesHelp}`;

import { Argument, Option } from 'commander';
import { exitCodesHelp, withOutput, type Definition } from '../command-context.ts';
import { actions, type Action, type RunsFlags } from './flags.ts';

export const defineRuns: Definition = (program, { signal, done }) => {
  const command = program
    .command('runs')
    .description('List scripts of mcp --connect that wait, and decide on what they ask.')
    .addArgument(new Argument('<action>', 'what to do').choices(actions))
    .argument('[run]', 'id of a run, or its beginning')
    .argument('[call...]', 'numbers of the calls that are decided on; one that waits alone needs none');
  withOutput(command)
    .option('--all', 'list: also runs that have ended')
    .option('--for-run', 'approve: also later calls of the run that the rule beside the call covers')
    .option('--always', 'approve: also such calls of later runs')
    .option('--why <text>', 'deny: what the script is told')
    .option('--value <json>', 'answer: the call was done and gave this')
    .addOption(new Option('--outcome <what>', 'answer: how a call ended').choices(['not-done', 'try-again']))
    .option('--restart', 'resume: run the script again from its first line, with the answers that it has had')
    .option('--by <name>', 'who decides, for the audit (default: you)')
    .addHelpText('after', help)
    .action(async (action: Action, run: string | undefined, calls: string[], flags: RunsFlags) => {
      const { runs } = await import('./action.ts');
      done(await runs({ action, run, calls, flags }, signal));
    });
};

const help = `
A script that an MCP client runs through mcp --connect waits where one of its calls needs a person, or where nobody knows
whether a call was done before the server ended. list shows these scripts, and show what one of them waits for: the tool,
all arguments, and the code at that line. A decision is kept at once. The server goes on with the run; where none is
running, resume starts the MCP servers of the run and goes on here. With --json the object is
  { "ok": true, "runs": [{ "servers", "id", "state", "waitsFor", "calls", … }] } of list,
  { "ok": true, "servers", "run", "script", "audit" } of show,
  { "ok": true, "run", … } of the others

Examples:
  $ mustard-sandbox runs list
  $ mustard-sandbox runs show 7f3a
  $ mustard-sandbox runs approve 7f3a
  $ mustard-sandbox runs approve 7f3a 2 3 --for-run
  $ mustard-sandbox runs deny 7f3a 2 --why 'not in this repository'
  $ mustard-sandbox runs answer 7f3a 2 --outcome try-again
  $ mustard-sandbox runs resume 7f3a
${exitCodesHelp}`;

import { Option } from 'commander';
import type { RunFlags } from './action.ts';
import { graphicsChoices } from './graphics.ts';
import { exitCodesHelp, withOutput, withScope, type Definition } from '../command-context.ts';

export const defineRun: Definition = (program, { signal, done }) => {
  const command = program
    .command('run')
    .description('Run a script and print its value.')
    .argument('<file>', 'the script, or - for stdin');
  withOutput(
    withScope(command)
      .option('--out <dir>', 'the folder where the script keeps files and charts by save(name, rows) and chart(spec)')
      .addOption(
        new Option('--graphics <kind>', 'how the terminal shows charts (default: auto)').choices(graphicsChoices),
      )
      .option('--profile', 'show where time and instructions went, by function')
      .option('--repeat <count>', 'run it this many times in one process, and show how time and instructions vary')
      .option('--watch', 'run it again whenever the script or an attachment changes, until Ctrl-C'),
  )
    .addHelpText('after', help)
    .action(async (file: string, flags: RunFlags) => {
      const { run } = await import('./action.ts');
      done(await run(file, flags, signal));
    });
};

const help = `
A script can call search(path, pattern), lines(path), read_file(path) and list_files(dir). Its value is that of
its last statement, or of a return at the end; it goes to stdout. What it logs and the statistics go to stderr.

With --json the object is
  { "ok": true, "value", "executionMs", "instructionsUsed", "heapBytesUsed", "hostCalls", "bytesRead" } or
  { "ok": false, "error": { "code", "message", "details" } }
and the value is JSON: a value undefined is null; inside it NaN and the infinities are null, -0 is 0, and
undefined is left out of objects. Without --json, objects and arrays are printed as JSON, anything else as it is.

With --out, save(name, rows) writes a file into the folder, and replaces none that was there before: its name gets a
number. chart(spec) writes a chart there, draws it in the terminal, and as SVG and PNG in files beside it. "outputs" has
{ "name", "size", "path" } of each, and "svg" and "png" of a chart.

With --graphics auto, kitty, Ghostty, iTerm2 and WezTerm show a chart as an image; other terminals, tmux and screen show
it in Braille dots. kitty and iterm choose the protocol for a terminal that auto does not know. none draws only files.

Where the value may differ from JavaScript's, there are "warnings" as well: [{ "id", "message", "line" }].

With --repeat, value and statistics are those of the first run, and "repeat" has { "runs", "values", "executionMs",
"instructionsUsed" }: how many different values there were, and { "min", "median", "max" }. With --profile,
"profile" has the calls; it is that of the last run, and a run that fails has it in "details". With --watch there
is one object for each run, each on its own line; a run that is under way when a file changes is given up.

Examples:
  $ mustard-sandbox run count.js --attach server.log
  $ mustard-sandbox run count.js --attach today=logs/server.log --attach yesterday=old/server.log
  $ mustard-sandbox attach server.log && mustard-sandbox run count.js --stored
  $ mustard-sandbox run search.js --root src --input 'pattern="TODO"' --input limit=20
  $ echo 'file_stats("attachments:server.log").size' | mustard-sandbox run - --attach server.log --json
  $ mustard-sandbox run slow.js --root . --timeout 30s --heap 256mb --profile
  $ mustard-sandbox run untrusted.js --root . --isolation jail
  $ mustard-sandbox run count.js --attach server.log --repeat 20 --quiet
  $ mustard-sandbox run report.js --attach sales.csv --out results
  $ mustard-sandbox run count.js --attach server.log --watch
  $ mustard-sandbox run count.js --attach server.log --remote http://127.0.0.1:7777
${exitCodesHelp}`;

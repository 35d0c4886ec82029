import type { ValidateFlags } from './action.ts';
import { engineOption, withConfiguration, withOutput, withRemote, type Definition } from '../command-context.ts';

export const defineValidate: Definition = (program, { signal, done }) => {
  const command = program
    .command('validate')
    .description('Check a script without running it.')
    .argument('<file>', 'the script, or - for stdin');
  withOutput(withRemote(withConfiguration(command)).option(...engineOption))
    .addHelpText('after', help)
    .action(async (file: string, flags: ValidateFlags) => {
      const { validate } = await import('./action.ts');
      done(await validate(file, flags, signal));
    });
};

const help = `
Exits with 0 when the script compiles and with 1 when it does not; with --quiet it prints problems only. With
--json the object is
  { "ok": true, "diagnostics": [] } or
  { "ok": false, "error": the first one, "diagnostics": [{ "code", "message", "location", "frame" }] }

Examples:
  $ mustard-sandbox validate count.js
  $ mustard-sandbox validate - --json < count.js`;

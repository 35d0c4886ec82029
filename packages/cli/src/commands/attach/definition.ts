import type { AttachFlags } from './action.ts';
import { exitCodesHelp, withOutput, withStore, type Definition } from '../command-context.ts';

export const defineAttach: Definition = (program, { signal, done }) => {
  const command = program
    .command('attach')
    .description('Store files, for scripts to read as attachments:<name>.')
    .argument('<file...>', 'the files, or - for stdin');
  withOutput(
    withStore(command)
      .option('--name <name>', 'name of the attachment; needed for stdin (default: the name of the file)')
      .option('--no-gitignore', 'leave .gitignore alone'),
  )
    .addHelpText('after', help)
    .action(async (files: string[], flags: AttachFlags) => {
      const { attach } = await import('./action.ts');
      done(await attach(files, flags, signal));
    });
};

const help = `
Copies each file into the media folder of --root, whole and however big it is, and prints what scripts call it, its
size and its type. The same content under the same name is stored once; another content under that name becomes
name-2. Ctrl-C leaves nothing behind of the file that is being stored; those before it stay, and are listed.

In a git work tree the media folder is added to .gitignore, unless a line there already speaks of it. With --json the
object is
  { "ok": true, "directory", "stored": [{ "name", "size", "mediaType", "sha256", "storedAt", … }], "gitignore" }
and one for an error has "stored" as well.

Examples:
  $ mustard-sandbox attach server.log
  $ mustard-sandbox attach logs/*.log --root .
  $ mustard-sandbox attach dump-2026-01-01.csv --name dump.csv
  $ journalctl --since today | mustard-sandbox attach - --name journal.log
${exitCodesHelp}`;

import type { CleanFlags } from './action.ts';
import { collect, exitCodesHelp, withOutput, withStore, type Definition } from '../command-context.ts';

export const defineClean: Definition = (program, { signal, done }) => {
  const command = program
    .command('clean')
    .description('Remove stored files: by name, by age, or all.')
    .argument('[name...]', 'name to remove, with or without attachments: before it');
  withOutput(
    withStore(command)
      .option('--older-than <age>', 'remove files stored longer ago than this, such as 12h, 30d or 2w')
      .option('--all', 'remove everything')
      .option('--keep <name>', 'keep this one, whatever its age', collect, [])
      .option('--dry-run', 'print what would be removed, and remove nothing'),
  )
    .addHelpText('after', help)
    .action(async (names: string[], flags: CleanFlags) => {
      const { clean } = await import('./action.ts');
      done(await clean(names, flags, signal));
    });
};

const help = `
Prints the removed names on stdout, and the freed bytes on stderr. Without a name, --older-than and --all, it
removes only files that no attachment needs, such as files that killed processes left half written. A
name that is not stored is an error, and then nothing is removed. Storing a file again renews its age. With --json
the object is
  { "ok": true, "dryRun", "removed": the names, "files", "bytes" }

Examples:
  $ mustard-sandbox clean server.log
  $ mustard-sandbox clean --older-than 30d --keep customers.csv
  $ mustard-sandbox clean --all --dry-run
  $ mustard-sandbox clean
${exitCodesHelp}`;

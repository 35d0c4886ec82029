import type { CleanFlags } from '../commands/clean.ts';
import { collect, exitCodesHelp, withOutput, withStore, type Definition } from './command-context.ts';

export const defineClean: Definition = (program, { signal, done }) => {
  const command = program
    .command('clean')
    .description('Remove stored files: by name, by age, or all.')
    .argument('[name...]', 'what to remove, with or without attachments: before it');
  withOutput(
    withStore(command)
      .option('--older-than <age>', 'remove what was stored so long ago, such as 12h, 30d or 2w')
      .option('--all', 'remove everything')
      .option('--keep <name>', 'let this one stay, whatever its age', collect, [])
      .option('--dry-run', 'say what would go, and remove nothing'),
  )
    .addHelpText('after', help)
    .action(async (names: string[], flags: CleanFlags) => {
      const { clean } = await import('../commands/clean.ts');
      done(await clean(names, flags, signal));
    });
};

const help = `
Prints the names of what went; how many bytes that freed goes to stderr. Called without a name, --older-than and
--all, it removes no attachment: only what none needs, such as files that killed processes left half written. A
name that is not stored is an error, and then nothing is removed. Storing a file again renews its age. With --json
the object is
  { "ok": true, "dryRun", "removed": the names, "files", "bytes" }

Examples:
  $ mustard-sandbox clean server.log
  $ mustard-sandbox clean --older-than 30d --keep customers.csv
  $ mustard-sandbox clean --all --dry-run
  $ mustard-sandbox clean
${exitCodesHelp}`;

import type { LsFlags } from './action.ts';
import { withOutput, withStore, type Definition } from '../command-context.ts';

export const defineLs: Definition = (program, { done }) => {
  const command = program.command('ls').description('List the files that are stored for scripts.');
  withOutput(withStore(command))
    .addHelpText('after', help)
    .action(async (flags: LsFlags) => {
      const { ls } = await import('./action.ts');
      done(await ls(flags));
    });
};

const help = `
A row for each: what scripts call it, its size, its type and when it was stored, in local time. First what was
attached, in that order, then results of scripts that were too long for a model. How much it is together goes to
stderr. With --json the object is
  { "ok": true, "directory", "attachments": [{ "kind", "name", "path", "size", "mediaType", "storedAt", … }] }

Examples:
  $ mustard-sandbox ls
  $ mustard-sandbox ls --root ../app --json`;

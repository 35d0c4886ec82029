import { withOutput, type Definition } from '../command-context.ts';

export const defineFunctions: Definition = (program, { done }) => {
  const command = program
    .command('functions')
    .description('Print the functions that a script can call.')
    .argument('[name]', 'the function to print');
  withOutput(command)
    .addHelpText('after', help)
    .action(async (name: string | undefined) => {
      const { functions } = await import('./action.ts');
      done(functions(name));
    });
};

const help = `
Each one as TypeScript declares it, with what it does. With --json the object is
  { "ok": true, "functions": [{ "name", "declaration", "summary", "isInstalled", "library" }] }
where library is the package that a function needs; without it, isInstalled is false.

Examples:
  $ mustard-sandbox functions
  $ mustard-sandbox functions search
  $ mustard-sandbox functions --json`;

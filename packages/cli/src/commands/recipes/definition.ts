import { withOutput, type Definition } from '../command-context.ts';

export const defineRecipes: Definition = (program, { done }) => {
  const command = program
    .command('recipes')
    .description('List scripts to start from, or print one.')
    .argument('[name]', 'the recipe to print');
  withOutput(command)
    .addHelpText('after', help)
    .action(async (name: string | undefined, flags: { quiet?: boolean }) => {
      const { recipes } = await import('./action.ts');
      done(recipes(name, flags));
    });
};

const help = `
Each script says in its first lines what it does, its inputs with their defaults, and how it is run. With --json the
object is
  { "ok": true, "recipes": [{ "name", "description", "notes", "inputs", "example" }] } or, for one of them,
  { "ok": true, "recipe": { the same, and "script" } }

Examples:
  $ mustard-sandbox recipes
  $ mustard-sandbox recipes tail > tail.js
  $ mustard-sandbox recipes top-errors | mustard-sandbox run - --attach server.log --input top=3
  $ mustard-sandbox recipes csv-group-by --json`;

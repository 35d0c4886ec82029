import { exitCodes } from '../../exit-code.ts';
import { styled, writeLine } from '../../output.ts';
import { listRecipes, readRecipe, type Recipe } from '../../recipes.ts';
import type { Report } from '../../report.ts';

/**
 * All recipes with their descriptions, or the script of one.
 *
 * @throws {UsageError} when there is no such recipe
 */
export function recipes(name: string | undefined, { quiet = false }: { quiet?: boolean }): Report {
  return name === undefined ? list(listRecipes(), quiet) : show(readRecipe(name));
}

function list(all: Recipe[], quiet: boolean): Report {
  const width = Math.max(...all.map(({ name }) => name.length));
  const rows = all.map(({ name, description }) => {
    return `${styled(process.stdout, 'bold', name.padEnd(width))}  ${description}`;
  });
  return {
    json: { ok: true, recipes: all },
    print() {
      writeLine(process.stdout, rows.join('\n'));
      // It does not go to stdout, because a program may read that.
      if (!quiet)
        writeLine(process.stderr, styled(process.stderr, 'dim', 'mustard-sandbox recipes NAME prints the script.'));
    },
    exitCode: exitCodes.done,
  };
}

function show(recipe: Recipe & { script: string }): Report {
  return {
    json: { ok: true, recipe },
    print: () => writeLine(process.stdout, recipe.script),
    exitCode: exitCodes.done,
  };
}

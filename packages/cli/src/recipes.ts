import { readdirSync, readFileSync } from 'node:fs';
import { UsageError } from './failure.ts';
import { closest } from './closest.ts';
import { parseRecipeHeader, type RecipeHeader } from './recipe-header.ts';

/** A script to start from, which comes with the command. */
export interface Recipe extends RecipeHeader {
  name: string;
}

/** The build copies them here. */
const folder = new URL('./recipes/', import.meta.url);
const ending = '.js';

/** All recipes, by name. */
export function listRecipes(): Recipe[] {
  return recipeNames().map((name) => ({ name, ...parseRecipeHeader(readScript(name)) }));
}

/** All recipes, with their scripts. */
export function recipesWithScripts(): (Recipe & { script: string })[] {
  return recipeNames().map(readRecipe);
}

/**
 * One recipe with its script.
 *
 * @throws {UsageError} when there is no such recipe; its hint has the name that may have been meant
 */
export function readRecipe(name: string): Recipe & { script: string } {
  const names = recipeNames();
  // The name is looked up in the list and never used as a path: `../main` is not a recipe.
  if (names.includes(name)) {
    const script = readScript(name);
    return { name, ...parseRecipeHeader(script), script };
  }
  const suggestion = closest(name, names);
  const help = '`mustard-sandbox recipes` lists them';
  throw new UsageError(
    `There is no recipe '${name}'.`,
    suggestion === undefined ? help : `Did you mean ${suggestion}? ${help}`,
  );
}

function recipeNames(): string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(ending));
  return files.map((file) => file.slice(0, -ending.length)).sort();
}

function readScript(name: string): string {
  return readFileSync(new URL(`${name}${ending}`, folder), 'utf8');
}

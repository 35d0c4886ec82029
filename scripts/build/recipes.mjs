// The recipes are published with the command, and stand in examples/, where people look for them.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { replaceFile } from './replace.mjs';

const examples = fileURLToPath(new URL('../../examples/', import.meta.url));
const recipes = fileURLToPath(new URL('../../packages/cli/dist/recipes/', import.meta.url));

export function copyRecipes() {
  const names = readdirSync(examples).filter((name) => name.endsWith('.js'));
  mkdirSync(recipes, { recursive: true });
  for (const name of names) replaceFile(join(recipes, name), readFileSync(join(examples, name)));
  for (const name of readdirSync(recipes)) if (!names.includes(name)) rmSync(join(recipes, name));
}

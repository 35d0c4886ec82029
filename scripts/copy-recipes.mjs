// Part of the build: the recipes are published with the command, and stand in examples/, where people look for them.
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const examples = fileURLToPath(new URL('../examples/', import.meta.url));
const recipes = fileURLToPath(new URL('../packages/cli/dist/recipes/', import.meta.url));

const names = readdirSync(examples).filter((name) => name.endsWith('.js'));
mkdirSync(recipes, { recursive: true });
// Not the whole folder at once: a command may be reading a recipe while the build runs.
for (const name of readdirSync(recipes)) if (!names.includes(name)) rmSync(join(recipes, name));
for (const name of names) cpSync(join(examples, name), join(recipes, name));

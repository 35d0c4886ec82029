// What the tour of the desktop agent plays with: recipes, and the maker of the demo's log.
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentFolder } from './bundle-options.mjs';
import { replaceFile } from './replace.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = ['examples/top-errors.js', 'examples/timeline.js', 'scripts/make-log.mjs'];

export function copyAgentTour() {
  const folder = join(agentFolder, 'dist/tour');
  mkdirSync(folder, { recursive: true });
  for (const file of files) replaceFile(join(folder, basename(file)), readFileSync(join(root, file)));
}

// The graph of packages in docs/architecture.md, made from their manifests.
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../packages/', import.meta.url);
const manifests = readdirSync(folder).map((name) =>
  JSON.parse(readFileSync(new URL(`${name}/package.json`, folder), 'utf8')),
);

const begin = '<!-- What follows is written by `npm run house`. -->\n\n```text\n';
const end = '\n```';

/** The page with the graph as the manifests have it. @param {string} page docs/architecture.md */
export function withGraph(page) {
  const from = page.indexOf(begin) + begin.length;
  if (from < begin.length) throw new Error('docs/architecture.md has no place for the graph of packages.');
  return page.slice(0, from) + graph() + page.slice(page.indexOf(end, from));
}

/** One line a package, above all that it stands on; without those that it reaches by way of another. */
function graph() {
  const floors = new Map(manifests.map((manifest) => [shortName(manifest.name), dependenciesOf(manifest)]));
  const below = (name) => floors.get(name)?.flatMap((direct) => [direct, ...below(direct)]) ?? [];
  const height = (name) => 1 + Math.max(0, ...below(name).map(height));
  const names = [...floors.keys()].sort((a, b) => height(b) - height(a) || a.localeCompare(b));
  const width = Math.max(...names.map((name) => name.length));
  const lines = names.map((name) => {
    const direct = floors.get(name) ?? [];
    const shown = direct.filter((one) => !direct.some((other) => below(other).includes(one))).sort();
    return `${name.padEnd(width)}${shown.length === 0 ? '' : `  → ${shown.join(', ')}`}`.trimEnd();
  });
  return lines.join('\n');
}

const shortName = (name) => name.replace('@mustard-sandbox/', '');

/** The packages of this repository that a package is built of or needs when it runs. */
function dependenciesOf({ dependencies, devDependencies }) {
  const own = new Set(manifests.map(({ name }) => name));
  return Object.keys({ ...dependencies, ...devDependencies })
    .filter((name) => own.has(name))
    .map(shortName);
}

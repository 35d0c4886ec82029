// node scripts/check-licenses.mjs [folder...]
// Walks the production dependencies that are installed under each folder (and its workspaces) and fails when one has a
// licence that is not allowed, or an Apache-2.0 one is not named in that folder's NOTICE, which Apache-2.0 asks for.
// It reads node_modules itself: `npm ls` fails for reasons of its own, such as a package that is merely extraneous.
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  // MIT without the duty to name the authors. The OSI has approved it.
  'MIT-0',
  'Unlicense',
  'Zlib',
]);

const readManifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** The folder itself and its workspaces; of globs only `folder/*` is understood, and anything else is refused. */
function firstParty(root) {
  const folders = (readManifest(root).workspaces ?? []).flatMap((pattern) => {
    const parent = join(root, pattern.replace(/\/\*$/, ''));
    if (parent.includes('*')) throw new Error(`${root}: cannot read the workspace pattern ${pattern}`);
    if (!pattern.endsWith('/*')) return [parent];
    return readdirSync(parent).map((name) => join(parent, name));
  });
  return [root, ...folders.filter((folder) => existsSync(join(folder, 'package.json')))].map((f) => realpathSync(f));
}

/** Where Node would find the package: the nearest node_modules upward that has it. */
function findInstalled(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (folder === dirname(folder)) return undefined;
  }
}

/** Licences that may be chosen between, each a list of identifiers that apply together. */
function alternatives(manifest) {
  // The forms before SPDX: { type } and licenses: [{ type }]. Packages of that age are still installed.
  const legacy = manifest.licenses?.map((entry) => entry.type ?? entry).join(' OR ');
  const expression = manifest.license?.type ?? manifest.license ?? legacy ?? 'no licence given';
  // Without parentheses AND binds tighter than OR; with both in one expression, ask for all of them, to be safe.
  const plain = String(expression).replaceAll(/[()]/g, '');
  if (!plain.includes(' AND ')) return { expression, choices: plain.split(' OR ').map((id) => [id.trim()]) };
  return { expression, choices: [plain.split(/ AND | OR /).map((id) => id.trim())] };
}

function licenceProblem(manifest, noticed) {
  const { expression, choices } = alternatives(manifest);
  const acceptable = choices.filter((ids) => ids.every((id) => allowed.has(id)));
  if (acceptable.length === 0) return `licence not allowed: ${expression}`;
  const withoutNotice = acceptable.some((ids) => !ids.includes('Apache-2.0'));
  if (withoutNotice || noticed.has(manifest.name)) return undefined;
  return 'licence is Apache-2.0, but NOTICE does not name it';
}

/** @param {string} root */
export function checkRoot(root) {
  const ours = new Set(firstParty(root));
  const noticeFile = join(root, 'NOTICE');
  const noticed = new Set(existsSync(noticeFile) ? readFileSync(noticeFile, 'utf8').split(/[\s,]+/) : []);
  const problems = [];
  const seen = new Set();
  /** @type {{ folder: string, byChoice: boolean }[]} */
  const pending = [...ours].map((folder) => ({ folder, byChoice: false }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { folder, byChoice } = next;
    if (seen.has(folder)) continue;
    seen.add(folder);
    const manifest = readManifest(folder);
    const id = `${manifest.name}@${manifest.version}`;
    const problem = ours.has(folder) ? undefined : licenceProblem(manifest, noticed);
    if (problem !== undefined) problems.push(`${id}: ${problem}`);

    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {}, devDependencies } = manifest;
    // What a host installs by its own choice, an optional peer, it chooses with the extras of that. Nothing of ours
    // asks for them, and they are not built in.
    const optionalDependencies = byChoice ? {} : (manifest.optionalDependencies ?? {});
    // What a package of ours needs for its build alone is built into it, and so shipped as well.
    const builtIn = ours.has(folder) && folder !== realpathSync(root) ? devDependencies : {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies, ...builtIn })) {
      const installed = findInstalled(name, folder);
      const isChosen = byChoice || (ours.has(folder) && peerDependenciesMeta[name]?.optional === true);
      if (installed !== undefined) pending.push({ folder: installed, byChoice: isChosen });
      else if (name in dependencies && !(name in optionalDependencies))
        problems.push(`${name}: not installed (for ${id})`);
    }
  }
  return { problems: problems.sort(), count: seen.size - ours.size };
}

/** @param {string[]} roots */
function main(roots) {
  for (const root of roots) {
    const { problems, count } = checkRoot(root);
    if (problems.length === 0) console.log(`${count} installed production dependencies: licences fine`);
    for (const problem of problems) console.error(problem);
    if (problems.length > 0) process.exitCode = 1;
  }
}

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  main((process.argv.length > 2 ? process.argv.slice(2) : ['.']).map((argument) => resolve(argument)));
}

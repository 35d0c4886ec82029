import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../../packages/', import.meta.url));
const specifier = /^@mustard-sandbox\/(protocol|paths)(?:\/(\w+))?$/;
const namedImport = /^import \{([^}]*)\} from '(@mustard-sandbox\/(?:protocol|paths)(?:\/\w+)?)';$/gm;

/**
 * Builds `@mustard-sandbox/protocol` and `@mustard-sandbox/paths` into each bundle, without what that does not use. It takes
 * their sources, so that the metafile names what is built in.
 *
 * @type {import('esbuild').Plugin}
 */
export const groundFloor = {
  name: 'ground-floor',
  setup(build) {
    build.onResolve({ filter: specifier }, ({ path }) => ({ path: entryOf(path), sideEffects: false }));
  },
};

/**
 * Has the sidecar's sources import from the file that declares a name, and not from the entry that exports it. What is
 * loaded late takes all of an entry along, and evaluates it: the JSON-RPC library and every schema in a thread that uses
 * neither.
 *
 * @type {import('esbuild').Plugin}
 */
export const directImports = {
  name: 'direct-imports',
  setup(build) {
    build.onLoad({ filter: /packages[\\/](?:sandbox-daemon|paths)[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text.replace(namedImport, (_, names, from) =>
        names
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== '' && !name.startsWith('type '))
          .map((name) => `import { ${name} } from '${homeOf(name, entryOf(from))}';`)
          .join(' '),
      );
      return { contents, loader: 'ts' };
    });
  },
};

/** @param {string} path what is imported */
function entryOf(path) {
  const [, name, entry = 'index'] = /** @type {RegExpExecArray} */ (specifier.exec(path));
  return join(packages, name, 'src', `${entry}.ts`);
}

/** @type {Map<string, Map<string, string>>} */
const homes = new Map();

/** The file that declares what `entry` exports by this name; the entry itself where it renames it. */
function homeOf(name, entry) {
  if (!homes.has(entry)) homes.set(entry, exportsOf(entry));
  return homes.get(entry)?.get(name) ?? entry;
}

/** @param {string} entry */
function exportsOf(entry) {
  const exported = new Map();
  for (const [, names, from] of readFileSync(entry, 'utf8').matchAll(/^export (\{[^}]*\}|\*) from '(.*)';$/gm)) {
    const file = join(dirname(entry), from);
    const declared =
      names === '*'
        ? [...readFileSync(file, 'utf8').matchAll(/^export (?:async )?(?:const|function|class) (\w+)/gm)].map(
            ([, name]) => name,
          )
        : names
            .slice(1, -1)
            .split(',')
            .map((name) => name.trim());
    for (const name of declared) exported.set(name, file);
  }
  return exported;
}

// The TypeScript sources as the reference pages need them: declarations, their docstrings, and where names come from.
// oxc-parser and not the compiler: typescript 7 has no stable JavaScript API, and syntax is all that is asked for.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { parseSync } from 'oxc-parser';
import { bundleOptions } from '../build/bundle-options.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Folder, manifest and exported source files of each workspace package. */
export const packages = readdirSync(join(root, 'packages')).map((name) => {
  const folder = join(root, 'packages', name);
  return { folder, manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) };
});

const modules = new Map();

/** @param {string} path of a `.ts` file */
export function loadModule(path) {
  let module = modules.get(path);
  if (module === undefined) modules.set(path, (module = new SourceModule(path)));
  return module;
}

/** The source of what a package exports under `subpath`, such as `.` or `./protocol`; `undefined` without types. */
export function sourceOfExport({ folder, manifest }, subpath) {
  const types = manifest.exports?.[subpath]?.types;
  return types && join(folder, types.replace(/^\.\/dist\//, 'src/').replace(/\.d\.ts$/, '.ts'));
}

/** @type {Map<string, Promise<any>>} */
const imported = new Map();

/**
 * What a source file exports, as it runs. Bundled on its own, because the packages ship bundles without the single files.
 *
 * @param {string} path of a `.ts` file
 * @returns {Promise<any>}
 */
export function importSource(path) {
  let source = imported.get(path);
  if (source === undefined) imported.set(path, (source = bundleAndImport(path)));
  return source;
}

async function bundleAndImport(path) {
  const folder = join(root, 'node_modules/.cache/docs');
  const { outputFiles } = await build({ ...bundleOptions, entryPoints: [path], packages: 'external', write: false });
  const [{ contents, hash }] = outputFiles;
  const file = join(folder, `${hash.replaceAll(/\W/g, '')}.mjs`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, contents);
  return await import(pathToFileURL(file).href);
}

class SourceModule {
  /** Top-level declarations: name → { node, statement, doc, module }. */
  declarations = new Map();
  #imports = new Map();
  #exportStatements = [];
  /** @type {any[][] | undefined} */
  #exports;
  #modules = new Map();

  constructor(path) {
    this.path = path;
    this.text = readFileSync(path, 'utf8');
    const { program, comments, errors } = parseSync(path, this.text);
    if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
    this.docComments = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'));
    for (const statement of program.body) this.#read(statement);
  }

  #read(statement) {
    if (statement.type === 'ImportDeclaration') {
      for (const { local, imported } of statement.specifiers) {
        this.#imports.set(local.name, { from: statement.source.value, name: imported?.name ?? local.name });
      }
    } else if (/^Export(Named|All)Declaration$/.test(statement.type) && !statement.declaration) {
      this.#exportStatements.push(statement);
    } else {
      const node = statement.declaration ?? statement;
      const exported = node !== statement;
      for (const each of node.declarations ?? [node]) {
        const name = each.id?.name;
        if (name === undefined) continue;
        this.declarations.set(name, {
          name,
          node: each,
          statement,
          exported,
          doc: this.docOf(statement),
          module: this,
        });
      }
    }
  }

  /** The docstring right before `node`, as Markdown and tags; `undefined` without one. */
  docOf(node) {
    const comment = this.docComments.findLast(({ end }) => end <= node.start);
    if (comment === undefined || this.text.slice(comment.end, node.start).trim() !== '') return undefined;
    return parseDoc(comment.value);
  }

  source({ start, end }) {
    return this.text.slice(start, end);
  }

  /** What this module exports, in its order: [name, declaration]; what comes from outside of the repository is left out. */
  exports() {
    return (this.#exports ??= this.#findExports());
  }

  #findExports() {
    const own = [...this.declarations.values()].filter(({ exported }) => exported);
    const found = own.map((declaration) => [declaration.name, declaration]);
    for (const { type, source, specifiers } of this.#exportStatements) {
      const target = source === null ? this : this.#moduleAt(source.value);
      if (type === 'ExportAllDeclaration') found.push(...(target?.exports() ?? []));
      else {
        for (const { local, exported } of specifiers) {
          const declaration = target?.resolve(local.name);
          if (declaration !== undefined) found.push([exported.name, declaration]);
        }
      }
    }
    return found;
  }

  /** The declaration that `name` stands for in this module, wherever it is. */
  resolve(name) {
    const own = this.declarations.get(name);
    if (own !== undefined) return own;
    const imported = this.#imports.get(name);
    if (imported !== undefined) return this.#moduleAt(imported.from)?.resolve(imported.name);
    return this.exports().find(([exported]) => exported === name)?.[1];
  }

  #moduleAt(specifier) {
    if (!this.#modules.has(specifier)) this.#modules.set(specifier, this.#findModule(specifier));
    return this.#modules.get(specifier);
  }

  #findModule(specifier) {
    if (specifier.startsWith('.')) return loadModule(resolve(dirname(this.path), specifier));
    const owner = packages.find(({ manifest: { name } }) => specifier === name || specifier.startsWith(`${name}/`));
    const path = owner && sourceOfExport(owner, `.${specifier.slice(owner.manifest.name.length)}`);
    return path && existsSync(path) ? loadModule(path) : undefined;
  }
}

/** `/** text @tag text *\/` → { text, tags: [[tag, text]] }, without stars and with its own line breaks undone. */
function parseDoc(comment) {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\*+ ?/, '').trimEnd());
  const [text, ...blocks] = lines.join('\n').trim().split(/^@/m);
  const tags = blocks.map((block) => {
    const [, tag = '', rest = ''] = /^(\w+)\s*([\s\S]*)$/.exec(block) ?? [];
    return [tag, rest.trim()];
  });
  return { text: text.trim(), tags };
}

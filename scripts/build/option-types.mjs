import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSchemaSource } from '../docs/schema-source.mjs';
import { loadModule } from '../docs/source.mjs';

const settings = "import('./settings.js').SettingsInput";

/** Fields whose type is published with docstrings of its own. test/docs/hover.test.ts checks them against the schemas. */
const publishedTypes = new Map([
  ['SandboxOptions.limits', "import('@mustard-sandbox/protocol').LimitOptions"],
  ['ExecuteSandboxScriptToolOptions.limits', "import('@mustard-sandbox/client').LimitOptions"],
  ['ExecuteSandboxScriptToolOptions.settings', `${settings} | (() => ${settings})`],
  [
    'ExecuteSandboxScriptToolOptions.hostFunctions',
    "Record<string, import('./host-functions.js').HostFunctionOptions>",
  ],
]);

/**
 * Makes an interface with docstrings of every published `type X = z.input<typeof schema>`. The compiler leaves comments
 * out of an inferred type, so that an editor would show nothing about an option. The types of the fields are those that
 * the schema infers, by name; the docstrings are those of the schema's source.
 *
 * @param {string} packageFolder
 */
export function writeOptionTypes(packageFolder) {
  const dist = join(packageFolder, 'dist');
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.d.ts')) continue;
    const path = join(dist, file);
    const text = readFileSync(path, 'utf8');
    const replaced = withInterfaces(text, join(packageFolder, 'src', file.replace(/\.d\.ts$/, '.ts')));
    if (replaced !== text) writeFileSync(path, replaced);
  }
}

/**
 * @param {string} text of a declaration file
 * @param {string} source path of what it was made of
 */
function withInterfaces(text, source) {
  const inferred = /^export type (\w+) = z\.input<typeof (\w+)>;$/gm;
  const replaced = text.replaceAll(inferred, (_, type, schema) => {
    const module = loadModule(source);
    const docs = readSchemaSource(module, module.resolve(schema)?.node.init);
    const fields = fieldsOf(text, schema).map(({ name, optional }) => {
      const field = docs.fields.get(name);
      const named = publishedTypes.get(`${type}.${name}`);
      const fieldType = named === undefined ? `$${type}['${name}']` : `${named}${optional ? ' | undefined' : ''}`;
      return `${docstring(field?.doc)}    ${name}${optional ? '?' : ''}: ${fieldType};\n`;
    });
    return `export interface ${type} {\n${fields.join('')}}\ntype $${type} = z.input<typeof ${schema}>;`;
  });
  // Without it, everything in such a file is exported.
  return replaced === text ? text : `${replaced}${/^export \{\};$/m.test(replaced) ? '' : 'export {};\n'}`;
}

/**
 * The fields of a schema, from its type as the compiler wrote it.
 *
 * @param {string} text
 * @param {string} schema
 */
function fieldsOf(text, schema) {
  const body = new RegExp(`const ${schema}: z\\.Zod(?:Mini)?Object<\\{\\n([\\s\\S]*?)^\\}, `, 'm').exec(text)?.[1];
  if (body === undefined) throw new Error(`No object of fields in the declaration of ${schema}.`);
  return [...body.matchAll(/^ {4}(\w+): z\.(\w+)/gm)].map(([, name = '', kind = '']) => {
    return { name, optional: /(?:Optional|Default|Prefault)$/.test(kind) };
  });
}

/** @param {{ text: string, tags: [string, string][] } | undefined} doc */
function docstring(doc) {
  if (doc === undefined) return '';
  const lines = [...doc.text.split('\n'), ...doc.tags.map(([tag, text]) => `@${tag} ${text}`)];
  return `    /**\n${lines.map((line) => `     * ${line}`.trimEnd()).join('\n')}\n     */\n`;
}

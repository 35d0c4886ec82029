// The tests of the package: where they are, and what each says of itself at its beginning.
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { parse } from 'yaml';

/** What the package has of the standard but its annexes. */
export const everything = ['language', 'built-ins'];

/** Tables of the Unicode of that year, which today's V8 fails too: hundreds of tests of a second each. */
const outdated = 'test/built-ins/RegExp/property-escapes/generated';

/**
 * @typedef {object} Test
 * @property {string} file beneath the folder of the package, with `/`
 * @property {string} source
 * @property {string[]} flags
 * @property {string[]} includes
 * @property {string[]} features
 * @property {{ phase: string, type: string }} [negative] it has to fail so
 */

/** @param {string} file @param {string} source @returns {Test} */
function testOf(file, source) {
  const [, head] = /\/\*---\r?\n?([\s\S]*?)---\*\//.exec(source) ?? [];
  if (head === undefined) throw new Error(`${file} does not say what it is: it has no /*--- … ---*/.`);
  const { flags = [], includes = [], features = [], negative } = readHead(file, head.replaceAll(/\r\n?/g, '\n'));
  return { file, source, flags, includes, features, ...(negative && { negative }) };
}

function readHead(file, head) {
  try {
    return parse(head) ?? {};
  } catch (/** @type {any} */ error) {
    throw new Error(`${file} begins with what is no YAML: ${error.message}`, { cause: error });
  }
}

/** @param {string} root of the package @param {string} file */
export function readTest(root, file) {
  return testOf(file, readFileSync(join(root, file), 'utf8'));
}

/**
 * The files of the tests, in order. A name is one of the built-ins, or a folder beneath `test`: such as `Map`, `language`.
 *
 * @param {string} root of the package
 * @param {string[]} names
 */
export async function listTests(root, names) {
  const files = [];
  for (const name of names) {
    const folder = [join(root, 'test', 'built-ins', name), join(root, 'test', name)].find((path) => existsSync(path));
    if (folder === undefined) throw new Error(`The package has no tests of '${name}'.`);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const { name: file, parentPath } of entries) {
      if (!file.endsWith('.js') || file.includes('_FIXTURE')) continue;
      const path = relative(root, join(parentPath, file)).replaceAll(sep, '/');
      if (!path.startsWith(outdated) || name.includes('property-escapes')) files.push(path);
    }
  }
  return files.toSorted();
}

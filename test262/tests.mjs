// The tests of the package: where they are, and what each says of itself at its beginning.
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { parse } from 'yaml';

/** What docs/language.md claims to have, of which the package has tests. */
export const builtIns = ['String', 'Array', 'Math', 'Number', 'JSON', 'Map', 'Set', 'RegExp', 'Date', 'Promise'];

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
  const { flags = [], includes = [], features = [], negative } = readHead(file, head.replaceAll('\r\n', '\n'));
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
 * The files of the tests, in order. A name is one of the built-ins, or a folder beneath `test`.
 *
 * @param {string} root of the package
 * @param {string[]} names
 */
export async function listTests(root, names) {
  const files = [];
  for (const name of names) {
    const folder = name.includes('/') ? join(root, 'test', name) : join(root, 'test', 'built-ins', name);
    if (!existsSync(folder)) throw new Error(`The package has no tests of '${name}'.`);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const { name: file, parentPath } of entries) {
      if (!file.endsWith('.js') || file.includes('_FIXTURE')) continue;
      files.push(relative(root, join(parentPath, file)).replaceAll(sep, '/'));
    }
  }
  return files.toSorted();
}

// What a test is run as: in V8 with the harness of the package, in the sandbox with that of `harness`.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {import('./tests.mjs').Test} Test */

const own = fileURLToPath(new URL('harness', import.meta.url));

/** @type {Map<string, string>} */
const texts = new Map();

function read(folder, name) {
  const path = join(folder, name);
  let text = texts.get(path);
  if (text === undefined) texts.set(path, (text = existsSync(path) ? readFileSync(path, 'utf8') : ''));
  return text;
}

/** @param {Test} test */
function isAsync({ flags }) {
  return flags.includes('async');
}

/**
 * @param {string} root of the package
 * @param {Test} test
 * @param {{ isStrict: boolean }} options
 */
export function forV8(root, test, { isStrict }) {
  const names = ['assert.js', 'sta.js', ...test.includes, ...(isAsync(test) ? ['doneprintHandle.js'] : [])];
  const harness = test.flags.includes('raw') ? [] : names.map((name) => read(join(root, 'harness'), name));
  const source = isStrict ? `'use strict';\n${test.source}` : test.source;
  return { scripts: [...harness, source], isAsync: isAsync(test) };
}

/** @param {Test} test */
export function forSandbox(test) {
  return written(test, test.source);
}

/** The same, but the script tells of an error that it can catch: it cannot catch a refusal. @param {Test} test */
export function forSandboxCaught(test) {
  const report = `throw new Test262Error('caught: ' + harnessNameOf(error));`;
  return written(test, `try {\n${test.source}\n} catch (error) {\n${report}\n}`);
}

function written(test, source) {
  if (test.flags.includes('raw')) return source;
  const harness = ['assert.js', ...test.includes, ...(isAsync(test) ? ['async.js'] : [])].map((name) =>
    read(own, name),
  );
  const end = isAsync(test) ? 'harnessJudge(await harnessSettled);' : '';
  return `${harness.join('')}${source}\n;${end}\n0;\n`;
}

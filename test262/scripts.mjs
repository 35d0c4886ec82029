// What a test is run as: in V8 as several scripts, in the sandbox as one, both with the harness of the package.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {import('./tests.mjs').Test} Test */

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

/** Of two modes that a test holds in, the one that a script of the sandbox begins in. @param {Test} test */
function isStrict({ flags, source }) {
  return flags.includes('onlyStrict') || /^(?:\s|\/\/.*\n|\/\*[\s\S]*?\*\/)*(['"])use strict\1/.test(source);
}

/** @param {string} root of the package @param {Test} test */
function harnessOf(root, test) {
  const names = ['assert.js', 'sta.js', ...test.includes, ...(isAsync(test) ? ['doneprintHandle.js'] : [])];
  return test.flags.includes('raw') ? [] : names.map((name) => read(join(root, 'harness'), name));
}

/** A function of the harness that few tests call: with it no script would be run. */
const early = /assert\.throws\.early = function[\s\S]*?\n\};/;

/** @param {string} root of the package @param {Test} test */
export function forV8(root, test) {
  const source = isStrict(test) ? `'use strict';\n${test.source}` : test.source;
  return { scripts: [...harnessOf(root, test), source], isAsync: isAsync(test) };
}

/** What `$DONE` says is what the promise of the script's last statement comes to. */
const listening = `var print;
var harnessSettled = new Promise((resolve, reject) => {
  print = (text) => {
    if (text === 'Test262:AsyncTestComplete') resolve();
    else reject(new Test262Error(text));
  };
});
`;

/** @param {string} root of the package @param {Test} test */
export function forSandbox(root, test) {
  if (test.flags.includes('raw')) return `${test.source}\n;0;\n`;
  const named = "Test262Error.prototype.name = 'Test262Error';\n";
  const start = isStrict(test) ? "'use strict';\n" : '';
  const before = `${start}${harnessOf(root, test).join('\n').replace(early, '')}\n${named}${isAsync(test) ? listening : ''}`;
  return `${before}${test.source}\n;${isAsync(test) ? 'harnessSettled' : '0'};\n`;
}

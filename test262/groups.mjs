// What the sandbox does not have, as docs/language.md says. A test that asks for it is counted apart: by what stands in the
// test, never by its name in a list.

/** @typedef {{ id: string, what: string, isIn: (test: import('./tests.mjs').Test, code: string) => boolean }} Group */

/** @param {RegExp} pattern */
const has = (pattern) => (_test, code) => pattern.test(code);
const makers = new Set(['fnGlobalObject.js', 'wellKnownIntrinsicObjects.js', 'tcoHelper.js']);

/** In this order: a test counts for the first that fits. @type {Group[]} */
export const groups = [
  {
    id: 'modules',
    what: 'modules: `import`, `export`, `import()`',
    isIn: ({ flags }, code) => flags.includes('module') || /\bimport *\(/.test(code),
  },
  {
    id: 'realms',
    what: 'other realms, threads and detached buffers, which only a host can make: `$262`',
    isIn: ({ includes }, code) => /\$262\b|\$DETACHBUFFER\b/.test(code) || includes.includes('atomicsHelper.js'),
  },
  {
    id: 'shared',
    what: 'memory that threads share: `SharedArrayBuffer`, `Atomics`',
    isIn: has(/\bSharedArrayBuffer\b|\bAtomics\b/),
  },
  {
    id: 'code',
    what: 'code out of text: `eval`, `Function` and its kin',
    isIn: ({ includes }, code) =>
      includes.some((name) => makers.has(name)) ||
      /\beval\b|\bFunction\b(?! *\.prototype\b)|\b(?:Async|Generator|AsyncGenerator)Function\b|assert\.throws\.early\b/.test(
        code.replaceAll(/instanceof Function\b|typeof Function\b/g, ''),
      ),
  },
];

/** @param {import('./tests.mjs').Test} test @returns {Group | undefined} */
export function groupOf(test) {
  const code = withoutComments(test.source);
  return groups.find(({ isIn }) => isIn(test, code));
}

/** Good enough to look for names: what stands in a text counts, too. */
function withoutComments(source) {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

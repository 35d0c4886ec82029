// The built-ins, as scripts call them. The work is done in the sidecar: src/files.
import { apply, ask, parse } from './host.js';
import { decode, encodeArguments } from './values.js';

/** Calls a built-in and gives its answer. @param {string} name */
const byName =
  (name) =>
  (...args) =>
    decode(ask(name, encodeArguments(args)));

function search(where, pattern, options) {
  const given = pattern instanceof RegExp ? { source: pattern.source, flags: pattern.flags } : pattern;
  const { found, truncated, skipped } = parse(ask('search', encodeArguments([where, given, options])));
  if (typeof found === 'object') {
    found.truncated = truncated;
    found.skipped = skipped;
  }
  return found;
}

/** Splits a text of whole lines into lines without their ends. @param {string} text */
function linesOf(text) {
  const list = text.split('\n');
  // The empty text after the last line end is not a line.
  if (list[list.length - 1] === '') list.length--;
  if (text.includes('\r')) {
    for (let index = 0; index < list.length; index++) {
      const line = list[index];
      // If the text has no end, the last line keeps its `\r`, because a lone `\r` is text.
      const hadEnd = index < list.length - 1 || text.endsWith('\n');
      if (hadEnd && line.endsWith('\r')) list[index] = line.slice(0, -1);
    }
  }
  return list;
}

let readers = 0;
const iteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));

/** An iterator over the lines of a file, which are fetched some hundred kilobytes at a time. */
function lines(path, options) {
  const id = ++readers;
  const more = () => linesOf(ask('lines', encodeArguments([path, options, id])));
  // The first lines are fetched here, so that the call fails for a file that cannot be read.
  let list = more();
  let at = 0;
  return {
    __proto__: iteratorPrototype,
    next() {
      if (at === list.length) {
        if (at > 0) list = more();
        at = 0;
        if (list.length === 0) return { value: undefined, done: true };
      }
      return { value: list[at++], done: false };
    },
    return(value) {
      list = [];
      at = 0;
      return { value, done: true };
    },
  };
}

const sourceOf = Function.prototype.toString;

/** Built-ins whose arguments or answers are not plain values. */
const special = {
  search,
  lines,
  read_lines: (path, options) => linesOf(ask('read_lines', encodeArguments([path, options]))),
  parallel: (where, fn, ...value) =>
    decode(
      ask('parallel', encodeArguments([where, typeof fn === 'function' ? apply(sourceOf, fn, []) : fn, ...value])),
    ),
  read_file: (path, options) => ask('read_file', encodeArguments([path, options])),
};

/** The function of a built-in. @param {string} name */
export function builtin(name) {
  return Object.hasOwn(special, name) ? special[name] : byName(name);
}

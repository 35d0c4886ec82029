// V8 matches regular expressions over long texts, in one crossing for many matches: 85 MB/s and more where QuickJS
// reaches 45. For `split` by a pattern, V8 looks for the next match, while QuickJS tries one at every character.
import { apply, askV8About, defineProperty, getPrototypeOf, hasOwn } from './host.js';

/** Crossing takes longer than matching in a text that is shorter than this. */
const longText = 64 * 1024;
/**
 * How many matches come at a time. The first batch is small, because a loop may end soon; later ones are larger,
 * because the text crosses each time.
 */
const atFirst = 1_000;
const atMost = 100_000;

const { exec } = RegExp.prototype;
const { isWellFormed } = String.prototype;
const own = Object.fromEntries(
  ['match', 'matchAll', 'replace', 'split'].map((name) => [name, RegExp.prototype[Symbol[name]]]),
);

/**
 * Whether V8 gives the same matches: no code of the script is called for a match, and nothing depends on `lastIndex`.
 */
function isForV8(pattern, text) {
  if (getPrototypeOf(pattern) !== RegExp.prototype || hasOwn(pattern, 'exec') || pattern.exec !== exec) return false;
  const { flags } = pattern;
  // Half of a surrogate pair has no form in UTF-8.
  return !flags.includes('y') && !flags.includes('d') && apply(isWellFormed, text, []);
}

const isLong = (text) => typeof text === 'string' && text.length >= longText;

function match(text) {
  if (!isLong(text) || !this.global || !isForV8(this, text)) return own.match.call(this, text);
  this.lastIndex = 0;
  return askV8About(text, 'match', this.source, this.flags);
}

/** The matches from `start` on, in the form of `exec`. */
function* matchesOf({ source, flags }, text, start) {
  for (let at = start, most = atFirst; at !== null; most = Math.min(10 * most, atMost)) {
    const { matches, names, next } = askV8About(text, 'matches', source, flags, at, most);
    for (const [index, ...groups] of matches) yield matchOf(index, groups, names, text);
    at = next;
  }
}

function matchOf(index, groups, names, input) {
  for (let number = 1; number < groups.length; number++) if (groups[number] === null) groups[number] = undefined;
  groups.index = index;
  groups.input = input;
  groups.groups = undefined;
  if (names !== null) {
    groups.groups = Object.create(null);
    for (const [name, numbers] of names) {
      groups.groups[name] = undefined;
      for (const number of numbers) if (groups[number] !== undefined) groups.groups[name] = groups[number];
    }
  }
  return groups;
}

/**
 * With fewer characters than this for each match, crossing takes longer than matching in QuickJS: twice as long for
 * words.
 */
const apart = 200;
const probed = 16 * 1024;

/** Whether the matches at the start of the text are close to each other. */
function isDense({ source, flags }, text) {
  const pattern = new RegExp(source, flags);
  const head = text.slice(0, probed);
  for (let count = 0; count < probed / apart; count++) {
    const found = apply(exec, pattern, [head]);
    if (found === null) return false;
    if (found[0] === '') pattern.lastIndex = nextAfter(head, found.index, pattern.unicode);
  }
  return true;
}

function matchAll(text) {
  if (!isLong(text) || !this.global || !isForV8(this, text) || isDense(this, text))
    return own.matchAll.call(this, text);
  return matchesOf(this, text, this.lastIndex);
}

function replace(text, replacement) {
  const isByFunction = typeof replacement === 'function';
  if (!isLong(text) || !this.global || !isForV8(this, text) || (isByFunction && isDense(this, text))) {
    return own.replace.call(this, text, replacement);
  }
  this.lastIndex = 0;
  if (!isByFunction) {
    return askV8About(text, 'replace', this.source, this.flags, String(replacement));
  }
  const pieces = [];
  let end = 0;
  for (const found of [...matchesOf(this, text, 0)]) {
    const args = [...found, found.index, text];
    if (found.groups !== undefined) args.push(found.groups);
    pieces.push(text.slice(end, found.index), String(apply(replacement, undefined, args)));
    end = found.index + found[0].length;
  }
  pieces.push(text.slice(end));
  return pieces.join('');
}

/** Patterns with the flag `g`, by source and flags, because a pattern in a loop is a new object each time. */
const searching = new Map();

function searchingFor({ source, flags }) {
  const key = `${flags}/${source}`;
  let pattern = searching.get(key);
  if (pattern === undefined) {
    if (searching.size === 50) searching.clear();
    pattern = new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
    searching.set(key, pattern);
  }
  return pattern;
}

function split(text, limit) {
  if (typeof text !== 'string' || text.length === 0 || limit !== undefined || !isForV8(this, text)) {
    return own.split.call(this, text, limit);
  }
  if (isLong(text)) return askV8About(text, 'split', this.source, this.flags).map(orUndefined);
  const pattern = searchingFor(this);
  const parts = [];
  let start = 0;
  for (let at = 0; at < text.length;) {
    pattern.lastIndex = at;
    const found = apply(exec, pattern, [text]);
    if (found === null || found.index >= text.length) break;
    const end = pattern.lastIndex;
    if (end === start) {
      at = nextAfter(text, found.index, pattern.unicode);
      continue;
    }
    parts.push(text.slice(start, found.index));
    for (let number = 1; number < found.length; number++) parts.push(found[number]);
    start = end;
    at = end === found.index ? nextAfter(text, end, pattern.unicode) : end;
  }
  parts.push(text.slice(start));
  return parts;
}

const orUndefined = (part) => part ?? undefined;

function nextAfter(text, at, isUnicode) {
  return at + (isUnicode && text.codePointAt(at) > 0xffff ? 2 : 1);
}

export function installRegexes() {
  for (const method of [match, matchAll, replace, split]) {
    const name = Symbol[method.name];
    defineProperty(method, 'name', { value: `[Symbol.${method.name}]`, configurable: true });
    defineProperty(RegExp.prototype, name, { value: method, writable: true, configurable: true });
  }
}

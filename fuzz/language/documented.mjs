import { parse } from 'acorn';

/**
 * The differences that docs/language.md lists, by their ids there. A difference of outcomes is one of them only where
 * that can be shown: by the two values, or by the same program without the construct, which then has no difference.
 *
 * @type {{ id: string, explains?: (wanted: string, got: string) => boolean, without?: (source: string) => string }[]}
 */
const rows = [
  { id: 'error-text', explains: differInMessages },
  { id: 'last-digit', explains: differInLastDigit },
  // One that does not contradict itself.
  {
    id: 'comparators',
    without: (source) =>
      source.replaceAll(
        /\(a, b\) => (?:a [<>]=? b|[^,;]*?)(?=\))/g,
        '(a, b) => (String(a) > String(b)) - (String(a) < String(b))',
      ),
  },
  // The digits behind the point: the last one may be another.
  { id: 'radix-digits', without: (source) => source.replaceAll(/\.toString\(\d+\)/g, '.toString()') },
  // Without its characters: `{ ...'ab' }`.
  { id: 'spread-text', without: withObjectsSpread },
  // Of the empty text: `''.repeat(2 ** 31)`.
  { id: 'empty-repeat', without: withSmallRepeats },
  // V8 ignores the end where the start is `undefined`.
  { id: 'typed-fill', without: withStartsOfFills },
];

/** Each spread into an object as that of an object, which a text is then as well. */
function withObjectsSpread(source) {
  return wrapped(source, 'Object', (node) =>
    node.type === 'ObjectExpression'
      ? node.properties.flatMap(({ type, argument }) => (type === 'SpreadElement' ? argument : []))
      : [],
  );
}

/** Each start that `fill` is given, as 0 where it is `undefined`. */
function withStartsOfFills(source) {
  return wrapped(source, '((n) => n ?? 0)', (node) =>
    node.type === 'CallExpression' && node.callee.property?.name === 'fill' ? node.arguments.slice(1, 2) : [],
  );
}

/** Each count of `repeat` that no text but the empty one can have, as one. */
function withSmallRepeats(source) {
  return wrapped(source, '((n) => (n > 2147483647 && n < Infinity ? 1 : n))', (node) =>
    node.type === 'CallExpression' && node.callee.property?.name === 'repeat' ? node.arguments.slice(0, 1) : [],
  );
}

/** The source with the nodes that `choose` gives of each node as arguments of a function. */
function wrapped(source, called, choose) {
  const ends = [];
  try {
    const options = { ecmaVersion: 'latest', allowAwaitOutsideFunction: true, allowReturnOutsideFunction: true };
    visit(parse(source, /** @type {import('acorn').Options} */ (options)), (node) => {
      for (const { start, end } of choose(node)) ends.push([start, ` ${called}(`], [end, ')']);
    });
  } catch {
    return source;
  }
  // From the end, so that the places before stay what they are.
  return ends
    .toSorted(([one], [other]) => other - one)
    .reduce((text, [at, added]) => text.slice(0, at) + added + text.slice(at), source);
}

function visit(node, see) {
  if (typeof node.type === 'string') see(node);
  for (const part of Object.values(node)) if (typeof part === 'object' && part !== null) visit(part, see);
}

/**
 * The id of the documented difference that is all there is between the two values.
 *
 * @param {string} wanted
 * @param {string} got
 * @returns {string | undefined}
 */
export function explanationOf(wanted, got) {
  return rows.find(({ explains }) => explains?.(wanted, got) === true)?.id;
}

/**
 * The program without a construct that has a documented difference, for each such construct in it, and without all.
 *
 * @param {string} source
 * @returns {{ id: string, source: string }[]}
 */
export function withoutConstructs(source) {
  const found = [];
  for (const { id, without } of rows) {
    const simpler = without?.(source) ?? source;
    if (simpler !== source) found.push({ id, source: simpler });
  }
  if (found.length < 2) return found;
  const without = rows.reduce((text, row) => row.without?.(text) ?? text, source);
  return [...found, { id: found.map(({ id }) => id).join(' and '), source: without }];
}

const text = /"(?:[^"\\]|\\.)*"/g;

/** What V8 says in errors of its own. A text that a program made itself must be the same. */
const ownMessage = new RegExp(
  [
    'is not (?:callable|a function|iterable|defined|a constructor|extensible|valid JSON|an object|a valid)',
    'Cannot (?:read|set|access|convert|mix|destructure|delete|redefine|assign)',
    'Assignment to constant variable|Unexpected |Expected |Unterminated |Bad (?:control|escaped) ',
    'Invalid (?:character|index|time value|array length|regular expression|count value|date|code point|string length|flags)',
    'Reduce of empty array|called (?:on null|with a non-global)|argument must be|URI malformed',
    'Maximum call stack|must be (?:between|called|either|finite)|object null|Division by zero|cannot be converted',
    '[Oo]ffset is (?:outside|out of)|The string to be decoded|No number after|Method .* called|Must call super|Incorrect locale|The (?:number|string) ',
  ].join('|'),
);

function differInMessages(wanted, got) {
  if (wanted.replaceAll(text, '""') !== got.replaceAll(text, '""')) return false;
  const mine = got.match(text) ?? [];
  return (wanted.match(text) ?? []).every((each, at) => {
    if (each === mine[at]) return true;
    const [name] = /^"\w*Error(?=: )/.exec(each) ?? [''];
    return ownMessage.test(each) && (mine[at] ?? '').startsWith(name);
  });
}

const number = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/g;

/** Four units in the last place, which is the 16th or 17th digit. Numbers within texts count too. */
function differInLastDigit(wanted, got) {
  if (wanted.replaceAll(number, '0') !== got.replaceAll(number, '0')) return false;
  const mine = got.match(number) ?? [];
  return (wanted.match(number) ?? []).every((each, at) => {
    const [one, other] = [Number(each), Number(mine[at])];
    return one === other ? each === mine[at] : Math.abs(one - other) <= 4 * Number.EPSILON * Math.abs(one);
  });
}

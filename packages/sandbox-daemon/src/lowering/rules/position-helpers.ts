import type { Helper } from '../helper.ts';

/** How long a piece is, in characters. Twice as much or half take longer. */
export const pieceLength = 512;

/** Of the pieces of a text, or of what else has the method. Arguments that are no numbers are the method's own affair. */
const ofPieces = (method: string, parameters: string, condition: string, body: string): Helper => {
  const [first, last] = parameters.split(', ') as [string, string];
  // The engine tells an argument that is `undefined` from one that is not given.
  const call = (on: string): string =>
    `${last} === undefined ? ${on}.${method}(${first}) : ${on}.${method}(${first}, ${last})`;
  return {
    name: `${method}In`,
    code: `function __ms_${method}In(from, ${parameters}) {
  if (typeof from === 'string' || from === null || from === undefined || from.__ms_size === undefined) return ${call('from')};
  const size = from.__ms_size;
  if (!(${condition})) {
    const whole = from.join('');
    return ${call('whole')};
  }
  ${body}
}`,
  };
};

const numbers = "typeof start === 'number' && (typeof end === 'number' || end === undefined)";

export const positionHelpers: Helper[] = [
  {
    name: 'pieces',
    code: `function __ms_pieces(text) {
  if (typeof text !== 'string') return [];
  const pieces = text.length <= ${pieceLength} ? [text] : text.match(/[\\s\\S]{1,${pieceLength}}/g);
  pieces.__ms_size = text.length;
  return pieces;
}`,
  },
  {
    name: 'letterAt',
    code: `function __ms_letterAt(text, method, at) {
  if (typeof text === 'string') return method === 'at' ? text.at(at) : text.charAt(__ms_place(at));
  if (method !== 'at' && text !== null && text !== undefined && typeof text[method] === 'function')
    __ms_refuse(method + ' of a value that is no text is not supported here');
  return text[method](at);
}`,
  },
  {
    name: 'cutOf',
    code: `function __ms_cutOf(pieces, start, end) {
  if (start >= end) return '';
  const begin = start % ${pieceLength};
  const first = (start - begin) / ${pieceLength};
  const last = (end - 1 - ((end - 1) % ${pieceLength})) / ${pieceLength};
  const part = first === last ? pieces[first] : __ms_glue(pieces, first, last + 1);
  return part.slice(begin, begin + end - start);
}`,
  },
  {
    // The engine copies a list for each call of a method, with the texts in it.
    name: 'glue',
    code: `function __ms_glue(pieces, first, end) {
  if (end - first <= 2) return pieces[first] + (first + 1 < end ? pieces[first + 1] ?? '' : '');
  const parts = [];
  for (let at = first; at < end && at < pieces.length; at++) parts.push(pieces[at]);
  return parts.join('');
}`,
  },
  ofPieces(
    'slice',
    'start, end',
    numbers,
    `const from0 = Math.trunc(start) || 0;
  const to0 = end === undefined ? size : Math.trunc(end) || 0;
  return __ms_cutOf(from, from0 < 0 ? Math.max(0, size + from0) : from0, to0 < 0 ? size + to0 : Math.min(to0, size));`,
  ),
  ofPieces(
    'substring',
    'start, end',
    numbers,
    `const from0 = Math.min(Math.max(Math.trunc(start) || 0, 0), size);
  const to0 = end === undefined ? size : Math.min(Math.max(Math.trunc(end) || 0, 0), size);
  return from0 < to0 ? __ms_cutOf(from, from0, to0) : __ms_cutOf(from, to0, from0);`,
  ),
  ofPieces(
    'indexOf',
    'item, start',
    "typeof item === 'string' && item !== '' && typeof start === 'number'",
    // In one piece, then in more and more: a long way takes few steps.
    `let at = start > 0 ? Math.trunc(start) : 0;
  for (let count = 1; at < size; count *= 2) {
    const begin = at % ${pieceLength};
    const first = (at - begin) / ${pieceLength};
    const part = count === 1 ? from[first] : __ms_glue(from, first, first + count);
    const found = part.indexOf(item, begin);
    if (found !== -1) return at - begin + found;
    if (first + count >= from.length) return -1;
    at += Math.max(0, part.length - begin - item.length + 1);
  }
  return -1;`,
  ),
];

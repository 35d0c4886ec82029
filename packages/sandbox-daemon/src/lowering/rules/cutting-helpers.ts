import { atHand } from '../cut-uses.ts';
import type { Helper } from '../helper.ts';

/** In characters. The engine is fast enough in a text that is no longer. */
export const short = 4096;
const pieceLength = 512;

export const cuttingHelpers: Helper[] = [
  {
    name: 'cutWhole',
    code: `function __ms_cutWhole(it, head) {
  return head + __ms_glue(it.pieces, it.next, it.pieces.length);
}`,
  },
  {
    name: 'cutHead',
    code: `function __ms_cutHead(before, text, count, isSubstring) {
  let it = before;
  let head = text;
  let from = Math.trunc(count) || 0;
  if (from < 0) from = isSubstring ? 0 : Math.max(0, from + head.length + (it === null ? 0 : it.rest));
  // Much of it was wanted at hand, or it is taken apart for the first time.
  if (head.length > ${short}) {
    const behind = it === null ? [] : it.pieces.slice(it.next);
    const rest = it === null ? 0 : it.rest;
    it = { pieces: [...head.match(/[\\s\\S]{1,${pieceLength}}/g), ...behind], next: 0, rest: rest + head.length, head: '', item: null, found: 0 };
    head = '';
  }
  const { pieces } = it;
  let { next, rest } = it;
  while (from > head.length && rest > 0) {
    from -= head.length;
    head = pieces[next++];
    rest -= head.length;
  }
  head = head.slice(from);
  while (head.length < ${atHand} && rest > 0) {
    rest -= pieces[next].length;
    head += pieces[next++];
  }
  it.next = next;
  it.rest = rest;
  it.head = head;
  return it;
}`,
  },
  {
    // Twice as much each time: who goes on to the end copies it but twice.
    name: 'cutMore',
    code: `function __ms_cutMore(it, head, wanted) {
  const size = Math.max(typeof wanted === 'number' && wanted >= 0 ? wanted + 1 : Infinity, 2 * head.length);
  const { pieces, next } = it;
  let have = head.length;
  let end = next;
  while (have < size && end < pieces.length) have += pieces[end++].length;
  it.next = end;
  it.rest -= have - head.length;
  return head + __ms_glue(pieces, next, end);
}`,
  },
  {
    // In more and more of the pieces. What was found, or is nowhere, is known until it has been cut off.
    name: 'cutFind',
    code: `function __ms_cutFind(it, head, item) {
  const size = head.length + it.rest;
  if (it.item === item && it.found <= size) return it.found === -1 ? -1 : size - it.found;
  const { pieces } = it;
  it.item = item;
  let text = head;
  let at = 0;
  let { next } = it;
  for (let count = 1; next < pieces.length; count *= 2) {
    const kept = Math.max(0, text.length - item.length + 1);
    at += kept;
    text = text.slice(kept) + __ms_glue(pieces, next, Math.min(next + count, pieces.length));
    next += count;
    const found = text.indexOf(item);
    if (found !== -1) {
      it.found = size - at - found;
      return at + found;
    }
  }
  it.found = -1;
  return -1;
}`,
  },
];

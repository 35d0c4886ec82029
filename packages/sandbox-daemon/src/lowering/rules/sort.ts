import type { CallExpression } from 'acorn';
import type { Helper } from '../helper.ts';
import type { Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { comparingOf } from '../sort-plan.ts';
import { isFunction, methodCall, type AnyNode } from '../syntax.ts';

/**
 * The engine's `sort` is quadratic: 20,000 numbers take it 15 s. What is sorted by parts of the elements is sorted by V8,
 * to which the keys cross once; by another comparator a helper sorts by merging, which costs n log n calls of it.
 *
 *     rows.sort((a, b) => b.n - a.n)   →   __ms_sort(rows, (a, b) => b.n - a.n, ['-', ['b', 0], ['a', 0]], keys of .n)
 */
export const sort: Rule = {
  id: 'sort',
  on: ['CallExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'CallExpression' || node.optional) return false;
    const call = methodCall(node);
    if (call === undefined || call.member.optional || !names.has(call.name) || node.arguments.length > 1) return false;
    if (node.arguments[0]?.type === 'SpreadElement') return false;
    writeSort(node, rewriter, call.object, call.name);
    return true;
  },
};

const names = new Set(['sort', 'toSorted']);

function writeSort(node: CallExpression, rewriter: Rewriter, object: AnyNode, name: string): void {
  rewriter.write(node, `${rewriter.helper(name)}(`, object);
  const [comparator] = node.arguments;
  if (comparator === undefined) return rewriter.output.write(')', node);
  rewriter.write(node, ', ', comparator);
  // An object of the script may have the method, and see that it was given `undefined`.
  const isOwn = rewriter.facts.ownMembers.has(name) && !isFunction(comparator);
  rewriter.output.write(`${isOwn ? ', undefined, undefined, true' : keysFor(comparator, rewriter)})`, node);
}

/**
 * The plan of the comparator and a function that makes the columns of keys, or `null` where a key is no primitive. A loop
 * with a block, or a call, costs several times as much: the engine makes an environment for each turn, and goes through
 * all objects more often to find those that nothing needs any more.
 */
function keysFor(comparator: AnyNode, rewriter: Rewriter): string {
  // With accessors about, a path is more than it says.
  if (rewriter.facts.isAsync || rewriter.facts.classMembers.size > 0) return '';
  const comparing = comparingOf(comparator);
  if (comparing === undefined) return '';
  const { plan, columns, isOfElements, needsLists } = comparing;
  if (isOfElements) return `, ${JSON.stringify(plan)}`;
  if (columns.some((code) => code.includes('__ms_dateFrom'))) rewriter.helper('dateFrom');
  const each = columns.map((code, at) => {
    // Most are numbers and texts: for these few questions are asked.
    const isOther = `typeof (key = ${code}) !== 'number' && typeof key !== 'string'`;
    const isNone = `(typeof key === 'object' ? key !== null : typeof key === 'function' || typeof key === 'bigint')`;
    return `(${isOther} && ${isNone}) || k${at}.push(key) === 0`;
  });
  const lists = columns.map((_, at) => `const k${at} = [];`).join(' ');
  const guard = needsLists ? '!Array.isArray(it)' : 'it === undefined || it === null';
  const found = `[${columns.map((_, at) => `k${at}`).join(', ')}]`;
  const loop = `for (it of list) if (${guard} || ${each.join(' || ')}) return null;`;
  // A key that the comparator would not have come to may be none: then it is asked itself.
  const keys = `try { ${loop} } catch { return null; } return ${found};`;
  return `, ${JSON.stringify(plan)}, (list) => { ${lists} let it; let key; ${keys} }`;
}

export const sortHelpers: Helper[] = [
  {
    // V8's own way with short lists, call by call: a comparator that contradicts itself gives the same there.
    name: 'insert',
    code: `function __ms_insert(list, length, compare) {
  if (length < 2) return list;
  const isDown = compare(list[1], list[0]) < 0;
  let run = 2;
  while (run < length) {
    const isBelow = compare(list[run], list[run - 1]) < 0;
    if (isBelow !== isDown) break;
    run++;
  }
  for (let low = 0, high = run - 1; isDown && low < high; low++, high--) { const kept = list[low]; list[low] = list[high]; list[high] = kept; }
  for (let start = run; start < length; start++) {
    const pivot = list[start];
    let left = 0;
    let right = start;
    while (left < right) {
      const middle = left + ((right - left) >> 1);
      if (compare(pivot, list[middle]) < 0) right = middle;
      else left = middle + 1;
    }
    for (let at = start; at > left; at--) list[at] = list[at - 1];
    list[left] = pivot;
  }
  return list;
}`,
  },
  {
    name: 'merge',
    code: `function __ms_merge(list, compare) {
  const length = list.length;
  if (length < 64) return __ms_insert(list, length, compare);
  let from = list;
  let to = new Array(length);
  for (let low = 0; low < length; low += 8) {
    const high = low + 8 < length ? low + 8 : length;
    for (let at = low + 1; at < high; at++) {
      const value = from[at];
      let place = at - 1;
      while (place >= low && compare(value, from[place]) < 0) { from[place + 1] = from[place]; place--; }
      from[place + 1] = value;
    }
  }
  for (let width = 8; width < length; width *= 2) {
    for (let low = 0; low < length; low += 2 * width) {
      const middle = low + width < length ? low + width : length;
      const high = low + 2 * width < length ? low + 2 * width : length;
      let left = low, right = middle, at = low;
      if (middle < high && !(compare(from[middle], from[middle - 1]) < 0)) { while (at < high) { to[at] = from[at]; at++; } continue; }
      while (left < middle && right < high) {
        if (compare(from[right], from[left]) < 0) to[at++] = from[right++];
        else to[at++] = from[left++];
      }
      while (left < middle) to[at++] = from[left++];
      while (right < high) to[at++] = from[right++];
    }
    const other = from; from = to; to = other;
  }
  return from;
}`,
  },
  {
    // Few elements cost less than to ask V8. It gives back the values, or their order, and does what V8's own sort does.
    name: 'sortedByV8',
    code: `function __ms_sortedByV8(list, plan, keysOf) {
  if (!__ms_hasV8 || list.length < 64) return null;
  if (keysOf === undefined) {
    let it;
    for (it of list) if (it === undefined || typeof it === 'function' || typeof it === 'bigint' || (typeof it === 'object' && it !== null)) return null;
    return __ms_inV8('sort', plan, list);
  }
  const columns = keysOf(list);
  if (columns === null) return null;
  const order = __ms_inV8('order', plan, columns);
  let at = order.length;
  while (at-- > 0) order[at] = list[order[at]];
  return order;
}`,
  },
  {
    name: 'sorted',
    code: `function __ms_sorted(values, compare) {
  if (compare !== undefined) return __ms_merge(values, (a, b) => Number(compare(a, b)));
  const texts = values.every((value) => typeof value === 'string') ? values : values.map((value) => __ms_string(value));
  const order = __ms_merge([...texts.keys()], (a, b) => (texts[a] < texts[b] ? -1 : texts[a] > texts[b] ? 1 : 0));
  return order.map((at) => values[at]);
}`,
  },
  {
    name: 'sort',
    code: `function __ms_sort(list, compare, plan, keysOf, isGiven) {
  if (!Array.isArray(list)) return compare === undefined && isGiven !== true ? list.sort() : list.sort(compare);
  if (compare !== undefined) __ms_callable(compare);
  const isKnown = compare === undefined || plan !== undefined;
  const byV8 = isKnown ? __ms_sortedByV8(list, plan ?? null, keysOf) : null;
  if (byV8 !== null) {
    list.splice(0, list.length, ...byV8);
    return list;
  }
  const values = [];
  let missing = 0;
  for (let at = 0; at < list.length; at++) {
    if (!(at in list)) continue;
    if (list[at] === undefined) missing++;
    else values.push(list[at]);
  }
  const { length } = values;
  const again = isKnown && length < list.length ? __ms_sortedByV8(values, plan ?? null, keysOf) : null;
  const sorted = length < 2 ? values : again ?? __ms_sorted(values, compare);
  for (let at = 0; at < length; at++) list[at] = sorted[at];
  for (let at = length; at < length + missing; at++) list[at] = undefined;
  for (let at = length + missing; at < list.length; at++) delete list[at];
  return list;
}`,
  },
  {
    name: 'toSorted',
    code: `function __ms_toSorted(list, compare, plan, keysOf, isGiven) {
  if (!Array.isArray(list)) return compare === undefined && isGiven !== true ? list.toSorted() : list.toSorted(compare);
  return __ms_sort(Array.from(list), compare, plan, keysOf);
}`,
  },
];

import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';
import { methodCall, unwrap, type AnyNode } from '../syntax.ts';
import type { Rewriter } from '../rewriter.ts';
import type { CallExpression } from 'acorn';

/**
 * The engine's `sort` is quadratic: 20,000 numbers take it 15 s. Helpers sort by merging, which costs n log n calls of
 * the comparator; what is sorted by a number or a text of each element is sorted by V8, to which the keys cross once.
 *
 *     rows.sort((a, b) => b.n - a.n)   →   __ms_sort(rows, (a, b) => b.n - a.n, -1, (a) => a.n)
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
  // With accessors about, a path is more than it says.
  const key = rewriter.facts.classMembers.size > 0 ? undefined : keyOf(comparator, rewriter.source);
  rewriter.output.write(key === undefined ? ')' : `, ${key})`, node);
}

/** For `(a, b) => a.key - b.key` and the like: direction and function of the key; `'c'` for `localeCompare`. */
function keyOf(comparator: AnyNode, source: string): string | undefined {
  const arrow = unwrap(comparator);
  if (arrow.type !== 'ArrowFunctionExpression' || arrow.async || arrow.params.length !== 2) return undefined;
  const [first, second] = arrow.params;
  if (first?.type !== 'Identifier' || second?.type !== 'Identifier') return undefined;
  const sides = sidesOf(arrow.body);
  if (sides === undefined) return undefined;
  const [left, right, kind] = sides;
  const one = pathOf(left, source);
  const other = pathOf(right, source);
  if (one === undefined || other === undefined || one.path !== other.path) return undefined;
  if (one.of === first.name && other.of === second.name) return `${kind}, (it) => it${one.path}`;
  if (one.of === second.name && other.of === first.name) return `-${kind}, (it) => it${one.path}`;
  return undefined;
}

function sidesOf(body: AnyNode): [AnyNode, AnyNode, number] | undefined {
  const inner = unwrap(body);
  if (inner.type === 'BinaryExpression' && inner.operator === '-') return [unwrap(inner.left), unwrap(inner.right), 1];
  const call = methodCall(inner);
  if (inner.type !== 'CallExpression' || call?.name !== 'localeCompare' || inner.arguments.length !== 1)
    return undefined;
  return [unwrap(call.object), unwrap(inner.arguments[0] as AnyNode), 2];
}

/** `a.b[0].c` as a path below `a`. */
function pathOf(node: AnyNode, source: string): { of: string; path: string } | undefined {
  if (node.type === 'Identifier') return { of: node.name, path: '' };
  if (node.type !== 'MemberExpression' || node.optional) return undefined;
  const below = pathOf(node.object, source);
  if (below === undefined) return undefined;
  const { property, computed } = node;
  if (!computed && property.type === 'Identifier') return { of: below.of, path: `${below.path}.${property.name}` };
  if (property.type !== 'Literal') return undefined;
  return { of: below.of, path: `${below.path}[${source.slice(property.start, property.end)}]` };
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
    name: 'sorted',
    code: `function __ms_sorted(values, compare, kind, keyOf) {
  if (compare === undefined) {
    const isPlain = values.every((value) => typeof value === 'string');
    if (values.length > 200 && __ms_hasV8 && isPlain) return __ms_inV8('sort', values, 0);
    const texts = isPlain ? values : values.map((value) => __ms_string(value));
    const order = __ms_merge([...texts.keys()], (a, b) => (texts[a] < texts[b] ? -1 : texts[a] > texts[b] ? 1 : 0));
    return order.map((at) => values[at]);
  }
  if (kind !== undefined && values.length > 200) {
    const keys = [];
    for (const value of values) keys.push(keyOf(value));
    const type = kind === 2 || kind === -2 ? 'string' : 'number';
    let isAlike = true;
    for (const key of keys) if (typeof key !== type || key !== key) { isAlike = false; break; }
    if (isAlike) {
      if (!__ms_hasV8) {
        const direction = kind < 0 ? -1 : 1;
        return __ms_merge([...keys.keys()], type === 'number' ? (a, b) => direction * (keys[a] - keys[b]) : (a, b) => direction * keys[a].localeCompare(keys[b])).map((at) => values[at]);
      }
      const order = type === 'number' ? __ms_inV8('order', keys, kind) : __ms_inV8('collate', keys, kind / 2);
      const found = [];
      for (const at of order) found.push(values[at]);
      return found;
    }
  }
  return __ms_merge(values, (a, b) => Number(compare(a, b)));
}`,
  },
  {
    name: 'sort',
    code: `function __ms_sort(list, compare, kind, keyOf) {
  if (!Array.isArray(list)) return compare === undefined ? list.sort() : list.sort(compare);
  if (compare !== undefined) __ms_callable(compare);
  const values = [];
  let missing = 0;
  for (let at = 0; at < list.length; at++) {
    if (!(at in list)) continue;
    if (list[at] === undefined) missing++;
    else values.push(list[at]);
  }
  const { length } = values;
  const sorted = length < 2 ? values : __ms_sorted(values, compare, kind, keyOf);
  for (let at = 0; at < length; at++) list[at] = sorted[at];
  for (let at = length; at < length + missing; at++) list[at] = undefined;
  for (let at = length + missing; at < list.length; at++) delete list[at];
  return list;
}`,
  },
  {
    name: 'toSorted',
    code: `function __ms_toSorted(list, compare, kind, keyOf) {
  if (!Array.isArray(list)) return compare === undefined ? list.toSorted() : list.toSorted(compare);
  return __ms_sort(Array.from(list), compare, kind, keyOf);
}`,
  },
];

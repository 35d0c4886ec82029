import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';
import type { Methods, Rule } from '../rule.ts';
import { memberName, methodCall, unwrap, walk, type AnyNode } from '../syntax.ts';

/**
 * The engine keeps a Map in slots, and puts a new key into the slot whose number is the size, if what was there is deleted:
 * after `a`, `b`, `c` and the end of `a` and `b` it stands before `c`, and a cache throws out the wrong one. Where that is
 * so the Map is made anew first. One that a loop goes over, which may be past the slot, gets something into such slots while
 * the key is put behind them.
 *
 *     map.set(key, value)           →   __ms_mapSet(map, key, value)
 *     for (const [k] of map) f(k);  →   for (const [k] of __ms_loopsOver(map)) f(k);
 */
export const mapMethods: Methods = {
  id: 'map-order',
  names: new Set(['set', 'delete', 'clear']),
  helperFor({ name, args }, facts) {
    if (!facts.reordersMaps || args.some(({ type }) => type === 'SpreadElement')) return undefined;
    return { set: 'mapSet', delete: 'mapDelete', clear: 'mapClear' }[name];
  },
};

/** A script in which a Map may get a key after it lost one. */
export function mayReorderMaps({ references, declared, members }: Facts): boolean {
  return references.has('Map') && !declared.has('Map') && members.has('delete') && members.has('set');
}

/** What a loop goes over; noted when the loop is met. */
const goneOver = new WeakSet<AnyNode>();
const iterations = new Set(['entries', 'keys', 'values']);

export const mapLoops: Rule[] = [
  {
    id: 'map-loops',
    on: ['ForOfStatement', 'CallExpression'],
    rewrite(node, rewriter) {
      if (!rewriter.facts.reordersMaps) return false;
      if (node.type === 'ForOfStatement') {
        const right = unwrap(node.right);
        const call = methodCall(right);
        if (mayAdd(node.body)) goneOver.add(call !== undefined && iterations.has(call.name) ? call.object : right);
      } else if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression') {
        if (memberName(node.callee) === 'forEach') goneOver.add(node.callee.object);
      }
      return false;
    },
  },
  {
    id: 'map-loops-over',
    on: ['Identifier', 'MemberExpression', 'CallExpression'],
    rewrite(node, rewriter) {
      if (!rewriter.facts.reordersMaps || !goneOver.has(node) || rewriter.isInside(node)) return false;
      rewriter.output.write(`${rewriter.helper('loopsOver')}(`, node);
      rewriter.inside(node, () => rewriter.emit(node));
      rewriter.output.write(')', node);
      return true;
    },
  },
];

/** A call may lead to `set`. */
function mayAdd(body: AnyNode): boolean {
  let found = false;
  walk(body, ({ type }) => (found ||= type === 'CallExpression'));
  return found;
}

export const mapHelpers: Helper[] = [
  {
    name: 'mapSet',
    code: `const __ms_slots = new Map();
const __ms_goneOver = new Set();
function __ms_loopsOver(value) {
  if (value instanceof Map) __ms_goneOver.add(value);
  return value;
}
function __ms_slotsOf(map) {
  let slots = __ms_slots.get(map);
  if (slots === undefined) {
    slots = { of: new Map(), isLive: [] };
    for (const key of map.keys()) {
      slots.of.set(key, slots.isLive.length);
      slots.isLive.push(true);
    }
    __ms_slots.set(map, slots);
  }
  return slots;
}
function __ms_mapDelete(map, ...args) {
  const [key] = args;
  if (!(map instanceof Map)) return map.delete(...args);
  if (!map.has(key)) return false;
  const { of, isLive } = __ms_slotsOf(map);
  isLive[of.get(key)] = false;
  of.delete(key);
  return map.delete(key);
}
function __ms_mapClear(map, ...args) {
  if (map instanceof Map) __ms_slots.delete(map);
  return map.clear(...args);
}
function __ms_mapSet(map, ...args) {
  if (!(map instanceof Map)) return map.set(...args);
  const [key, value] = args;
  const slots = __ms_slots.get(map);
  if (slots === undefined || map.has(key)) return map.set(key, value);
  const { of, isLive } = slots;
  const isReused = () => isLive[map.size] === false;
  const fillers = [];
  const isGoneOver = __ms_goneOver.has(map);
  if (isReused() && (isGoneOver || isLive.lastIndexOf(true) > map.size)) {
    if (!isGoneOver) {
      const entries = [...map];
      map.clear();
      for (const [each, kept] of entries) map.set(each, kept);
      __ms_slots.delete(map);
      return map.set(key, value);
    }
    while (isReused()) {
      const filler = { slot: map.size };
      isLive[filler.slot] = true;
      fillers.push(filler);
      map.set(filler, true);
    }
  }
  const slot = isReused() ? map.size : isLive.length;
  of.set(key, slot);
  isLive[slot] = true;
  map.set(key, value);
  for (const filler of fillers) {
    isLive[filler.slot] = false;
    map.delete(filler);
  }
  return map;
}
function __ms_mapCall(object, name, args) {
  if (name === 'set') return __ms_mapSet(object, ...args);
  if (name === 'delete') return __ms_mapDelete(object, ...args);
  return name === 'clear' ? __ms_mapClear(object, ...args) : object[name](...args);
}`,
  },
];

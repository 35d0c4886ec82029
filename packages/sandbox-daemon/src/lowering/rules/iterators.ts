import type { Helper } from '../helper.ts';
import type { Methods } from '../rule.ts';
import { methodCall, unwrap } from '../syntax.ts';

const makers = new Set(['entries', 'keys', 'values']);

/**
 * In the engine an iterator of a list or a Map that has ended goes on when that grows. One that was just made has not.
 *
 *     it.next()            →   __ms_nextItem(it)
 *     map.keys().next()    →   map.keys().next()
 */
export const iteratorSteps: Methods = {
  id: 'iterator-steps',
  names: new Set(['next']),
  helperFor({ object, args }, { members, references }) {
    if (args.length > 0 || object.type === 'ThisExpression') return undefined;
    const mayBeOfList = [...makers].some((name) => members.has(name)) || references.has('Symbol');
    const isNew = makers.has(methodCall(unwrap(object))?.name ?? '');
    return mayBeOfList && !isNew ? 'nextItem' : undefined;
  },
};

export const iteratorHelpers: Helper[] = [
  {
    name: 'nextItem',
    code: `const __ms_ended = new Set();
function __ms_nextItem(iterator) {
  const result = iterator.next();
  if (__ms_ended.size === 0 && result?.done !== true) return result;
  if (typeof iterator !== 'object' || Object.hasOwn(iterator, 'next')) return result;
  if (__ms_ended.has(iterator)) return { value: undefined, done: true };
  if (result.done === true) __ms_ended.add(iterator);
  return result;
}`,
  },
];

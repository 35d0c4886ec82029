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
  if (typeof iterator !== 'object' || iterator === null || Object.hasOwn(iterator, 'next')) return iterator.next();
  if (__ms_ended.size > 0 && __ms_ended.has(iterator)) return { value: undefined, done: true };
  const result = iterator.next();
  if (result.done === true) __ms_ended.add(iterator);
  return result;
}`,
  },
];

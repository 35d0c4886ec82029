import type { Helper } from '../../helper.ts';

export const iterationHelpers: Helper[] = [
  {
    name: 'generator',
    code: ({ classMembers }) => `const __ms_stop = { name: 'stop' };
const __ms_break = { name: 'break' };
function __ms_generator(run, why) {
  const refuse = () => __ms_refuse('next() of this generator is not supported' + (why === undefined ? '' : ', because ' + why) + ': loop over it with for (const value of ...), or spread it');
  return { isGenerator: true, isUsed: false, run, next: refuse, return: refuse, throw: refuse };
}
function __ms_isGenerator(value) { return typeof value === 'object' && value !== null && value.isGenerator === true; }
const __ms_iterators = new Map();
function __ms_iterable(object, call) { __ms_iterators.set(object, call); return object; }
function __ms_ownIterator(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const own = __ms_iterators.get(value);
  if (own !== undefined) return own;
  ${
    classMembers.size > 0
      ? `const record = __ms_classOf.get(value);
  return record === undefined || record.isOwn ? undefined : __ms_inherited(record, 'methods', '@@iterator');`
      : 'return undefined;'
  }
}
function __ms_iteratorMethod(value) {
  if (value === null || value === undefined) throw new TypeError('Cannot read properties of ' + String(value));
  if (typeof value === 'string') return () => value.split('').values();
  if (typeof value !== 'object') return undefined;
  const own = __ms_ownIterator(value);
  if (own !== undefined) return () => own.call(value);
  if (Array.isArray(value)) return () => value.values();
  if (value instanceof Map) return () => value.entries();
  if (value instanceof Set) return () => value.values();
  return __ms_isGenerator(value) || (typeof value.next === 'function' && !Object.hasOwn(value, 'next')) ? () => value : undefined;
}
function __ms_iteratorOf(value) {
  const method = __ms_iteratorMethod(value);
  if (method === undefined) throw new TypeError('The value is not iterable');
  return method();
}
function __ms_walk(iterator, step) {
  for (;;) {
    const result = ${classMembers.has('next') ? "__ms_call(iterator, 'next')" : 'iterator.next()'};
    if (typeof result !== 'object' || result === null) throw new TypeError('Iterator result ' + String(result) + ' is not an object');
    if (result.done) return undefined;
    let said;
    try { said = step(result.value); } catch (error) {
      if (typeof iterator.return === 'function') iterator.return();
      throw error;
    }
    if (said === undefined) continue;
    if (typeof iterator.return === 'function') iterator.return();
    return said === __ms_break ? undefined : said;
  }
}
function __ms_each(given, step) {
  let values = given;
  const own = __ms_ownIterator(given);
  if (own !== undefined) {
    values = own.call(given);
    if (!__ms_isGenerator(values)) return __ms_walk(values, step);
  }
  if (__ms_isGenerator(values)) {
    if (values.isUsed) return undefined;
    values.isUsed = true;
    let left;
    try {
      values.run((value) => {
        const said = step(value);
        if (said !== undefined) { left = said; throw __ms_stop; }
      });
    } catch (error) {
      if (error !== __ms_stop) throw error;
    }
    return left === __ms_break ? undefined : left;
  }
  for (const value of values) {
    const said = step(value);
    if (said === __ms_break) return undefined;
    if (said !== undefined) return said;
  }
  return undefined;
}
function __ms_list(values, most) {
  if (!__ms_isGenerator(values) && __ms_ownIterator(values) === undefined) return values;
  const found = [];
  if (most === 0) return found;
  __ms_each(values, (value) => {
    found.push(value);
    return found.length === most ? __ms_break : undefined;
  });
  return found;
}`,
  },
];

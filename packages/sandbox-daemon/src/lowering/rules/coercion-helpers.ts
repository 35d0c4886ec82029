import type { Helper } from '../helper.ts';

/** What makes texts and numbers of values in a program; see coercions.ts. */
export const coercionHelpers: Helper[] = [
  {
    name: 'ownPrimitive',
    code: ({ classMembers, hasOwnCoercion, hasV8Regexes }) => `function __ms_ownPrimitive(value, first, second) {
  if (value instanceof Date) return first === 'valueOf' ? value.getTime() : String(value);
  if (Array.isArray(value)) return value.map((item) => (item === null || item === undefined ? '' : __ms_text(item))).join(',');
  for (const name of [first, second]) {
    if (!${hasOwnCoercion || hasV8Regexes}) break;
    const method = ${classMembers.size > 0 ? '__ms_get(value, name)' : 'value[name]'};
    if (typeof method !== 'function') continue;
    const made = method.call(value);
    if ((typeof made !== 'object' && typeof made !== 'function') || made === null) return made;
  }
  if (Object.hasOwn(value, 'toString')) throw new TypeError('Cannot convert object to primitive value');
  return value instanceof Error ? __ms_errorText(value) : value.toString();
}`,
  },
  {
    // The engine adds its own `code` to the text of an error, and a colon to one without a name.
    name: 'errorText',
    code: `function __ms_errorText(error) {
  const name = error.name === undefined ? 'Error' : String(error.name);
  const message = error.message === undefined ? '' : String(error.message);
  return name === '' ? message : message === '' ? name : name + ': ' + message;
}`,
  },
  {
    name: 'num',
    code: `function __ms_num(value) {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.getTime();
  return __ms_ownPrimitive(value, 'valueOf', 'toString');
}`,
  },
  {
    name: 'prim',
    code: `function __ms_prim(value) {
  if (typeof value !== 'object' || value === null) return value;
  return value instanceof Date ? String(value) : __ms_ownPrimitive(value, 'valueOf', 'toString');
}`,
  },
  {
    name: 'text',
    code: `function __ms_text(value) {
  if (typeof value !== 'object' || value === null) return String(value);
  return String(__ms_ownPrimitive(value, 'toString', 'valueOf'));
}`,
  },
  {
    // For helpers: only where there are such objects does it cost a prelude.
    name: 'string',
    code: ({ hasOwnCoercion, hasNamedObjects }) =>
      hasOwnCoercion || hasNamedObjects
        ? 'function __ms_string(value) { return __ms_text(value); }'
        : 'function __ms_string(value) { return String(value); }',
  },
  {
    name: 'join',
    code: `function __ms_join(list, given) {
  const separator = typeof given === 'object' && Array.isArray(list) ? __ms_text(given) : given;
  if (!Array.isArray(list) || !list.some((item) => typeof item === 'object' && item !== null)) return list.join(separator);
  return list.map((item) => (typeof item === 'object' && item !== null ? __ms_text(item) : item)).join(separator);
}`,
  },
  {
    name: 'listText',
    code: 'function __ms_listText(value) { return Array.isArray(value) ? __ms_text(value) : value.toString(); }',
  },
  {
    name: 'concat',
    code: `function __ms_concat(base, ...others) {
  return typeof base === 'string' ? base + others.map((other) => __ms_text(other)).join('') : base.concat(...others);
}`,
  },
  {
    name: 'loose',
    code: `function __ms_loose(one, other) {
  const isObject = (value) => (typeof value === 'object' || typeof value === 'function') && value !== null;
  if (isObject(one) === isObject(other) || one === null || one === undefined || other === null || other === undefined) return one == other;
  return isObject(one) ? __ms_prim(one) == other : one == __ms_prim(other);
}`,
  },
];

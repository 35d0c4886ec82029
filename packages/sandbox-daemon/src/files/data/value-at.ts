import { maxValueBytes, type SandboxValue } from '@mustard-sandbox/protocol';
import type { BuiltinCall } from '../call.ts';

const maxItems = 300_000;

/** The value at a pointer such as `/a/0/b`, if it is not too large to hand over. */
export function valueAt(root: unknown, pointer: string, call: BuiltinCall): SandboxValue {
  if (pointer !== '' && !pointer.startsWith('/')) {
    throw call.invalid(`read_data: a pointer begins with '/': '/servers/0/name'. ${JSON.stringify(pointer)} does not.`);
  }
  let value: unknown = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    if (!isThere)
      throw call.failed(
        'NotFoundError',
        `there is nothing at ${JSON.stringify(pointer)}: ${JSON.stringify(key)} is missing.`,
      );
    value = (value as Record<string, unknown>)[key];
  }
  return copied(value, { items: 0, bytes: 0 }, call);
}

/**
 * A copy as plain values. Places that share one value get a copy each, as in JSON. The copies are counted, because a
 * small file can stand for a huge value.
 */
function copied(value: unknown, count: { items: number; bytes: number }, call: BuiltinCall, depth = 0): SandboxValue {
  count.items++;
  count.bytes += typeof value === 'string' ? value.length + 2 : 4;
  if (count.items > maxItems || count.bytes > maxValueBytes) throw tooMuch(count.items, call);
  if (depth > 100) throw call.failed('NotReadableError', `${call.shown} nests too deep.`);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.map((item) => copied(item, count, call, depth + 1));
  if (typeof value !== 'object' || value === null) return value as SandboxValue;
  const object = Object.create(null) as Record<string, SandboxValue>;
  for (const [key, item] of Object.entries(value)) {
    count.bytes += key.length + 3;
    object[key] = copied(item, count, call, depth + 1);
  }
  return object;
}

function tooMuch(items: number, call: BuiltinCall): Error {
  const why = `the value in ${call.shown} is larger than one that a script may get. Name a part of it: { pointer: '/servers/0' }.`;
  return call.limitExceeded('value_items', maxItems, items, why, 'items');
}

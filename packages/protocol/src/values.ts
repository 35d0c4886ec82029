import { types } from 'node:util';
import { maxArrayLength, maxMessageDepth, maxValueBytes, maxValueDepth, maxValueItems } from './limits.ts';
import { SandboxError } from './errors.ts';

/**
 * A value on the wire. `json` holds plain JSON. `tagged` holds JSON with tags for what JSON cannot say: `{"$":
 * "undefined" | "NaN" | "Infinity" | "-Infinity" | "-0" | "hole"}`. An object that has a key `$` of its own is written
 * `{"$": "object", "entries": [[key, value], …]}`.
 */
export type WireValue = { json: unknown } | { tagged: unknown };

/** What may cross between script and host: JSON plus `undefined`, `NaN`, `-0`, infinities and array holes. */
export type SandboxValue =
  undefined | null | boolean | number | string | SandboxValue[] | { [key: string]: SandboxValue };

const { isProxy } = types;

/** The key that marks an object as the stand-in for a value outside of JSON. */
export const tag = '$';

/** An item takes at least two bytes of JSON, so a value of more items cannot fit. */
const maxItems = maxValueBytes / 2;

/** Values that JSON cannot write, or writes as something else. */
function specialTag(value: unknown): string | undefined {
  if (value === undefined) return 'undefined';
  if (typeof value !== 'number') return undefined;
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : undefined;
  return String(value);
}

export type SpecialName = 'undefined' | 'NaN' | 'Infinity' | '-Infinity' | '-0';

const specialValues = new Map<unknown, unknown>([
  ['undefined', undefined],
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
  ['-0', -0],
]);

/** The most bytes of JSON for each item, including tags and separators, and for each UTF-16 unit of text. */
const mostBytes = { item: 40, unit: 6 };

/**
 * Encodes a value of the host for the wire, as a copy. Objects must be plain; the same object may appear twice.
 *
 * @param what names the value in errors, for example `inputs` or `result of lookup()`
 * @throws {SandboxError} `invalid_request` with the path of the part that cannot cross, and why; `limit_exceeded`
 *   for more items than could fit, since a few objects that are used many times can stand for very many items
 */
export function encodeValue(value: unknown, what: string): WireValue {
  return new Encoder(what).encode(value);
}

/**
 * Encodes a value that leaves the script for the wire, as a copy.
 *
 * @param what names the value in errors, such as `The result`
 * @param tooLarge makes the error for a value that is longer than `maxValueBytes`; without it the caller measures
 * @throws {SandboxError} like `encodeValue`, `limit_exceeded` for more than `maxValueItems`, and the error of
 * `tooLarge`
 */
export function encodeLeaving(value: unknown, what: string, tooLarge?: (bytes: number) => SandboxError): WireValue {
  const encoder = new Encoder(what);
  const wire = encoder.encode(value);
  assertFewItems(encoder.wireItems, what);
  if (tooLarge !== undefined) assertShort(encoder, wire, tooLarge);
  return wire;
}

/**
 * @throws {SandboxError} `limit_exceeded` for more than `maxValueItems`, because the host is blocked while it parses
 */
export function assertFewItems(actual: number, what: string): void {
  if (actual <= maxValueItems) return;
  throw new SandboxError(
    'limit_exceeded',
    `${what}: ${actual} fields, lists and objects in one value, over the limit of ${maxValueItems} (value_items). ` +
      'Pass counts, a slice or a text instead.',
    { details: { limit: 'value_items', value: maxValueItems, unit: 'items', actual } },
  );
}

/**
 * Encodes a value that may be as large as `maxValueBytes`.
 *
 * @param tooLarge makes the error for a value of that many bytes
 * @throws {SandboxError} like `encodeValue`, and the error of `tooLarge`
 */
export function encodeFitting(value: unknown, what: string, tooLarge: (bytes: number) => SandboxError): WireValue {
  const encoder = new Encoder(what);
  const wire = encoder.encode(value);
  assertShort(encoder, wire, tooLarge);
  return wire;
}

/** For most values the estimate is enough. Only the others are written out and measured. */
function assertShort({ mostBytes }: Encoder, wire: WireValue, tooLarge: (bytes: number) => SandboxError): void {
  if (mostBytes <= maxValueBytes) return;
  const bytes = Buffer.byteLength(JSON.stringify(wire));
  if (bytes > maxValueBytes) throw tooLarge(bytes);
}

class Encoder {
  /** An upper bound on the bytes of the value's JSON. */
  mostBytes = 0;
  /** Objects, lists and fields in the value, as it is on the wire. */
  wireItems = 0;
  readonly #what: string;
  readonly #active = new Set<object>();
  #plain = true;
  #items = 0;

  constructor(what: string) {
    this.#what = what;
  }

  encode(value: unknown): WireValue {
    const copy = this.#copy(value, this.#what, 1);
    return this.#plain ? { json: copy } : { tagged: toTagged(copy) };
  }

  #copy(item: unknown, path: string, depth: number): unknown {
    if (++this.#items > maxItems) throw tooMany(this.#what);
    this.mostBytes += mostBytes.item;
    if (typeof item === 'string') this.mostBytes += mostBytes.unit * item.length;
    if (item === null || typeof item === 'string' || typeof item === 'boolean') return item;
    if (item === undefined || typeof item === 'number') {
      if (specialTag(item) !== undefined) this.#special();
      return item;
    }
    if (typeof item !== 'object') throw cannotCross(path, describeKind(item));
    if (depth > maxValueDepth) throw cannotCross(path, `nested deeper than ${maxValueDepth} levels`);
    // Reading a field of a proxy would run code of the host.
    if (isProxy(item)) throw cannotCross(path, 'a Proxy');
    if (this.#active.has(item)) throw cannotCross(path, 'a reference to an object that contains it');
    this.#active.add(item);
    const copy = Array.isArray(item) ? this.#copyArray(item, path, depth) : this.#copyObject(item, path, depth);
    this.#active.delete(item);
    return copy;
  }

  #copyArray(items: unknown[], path: string, depth: number): unknown[] {
    if (items.length > maxArrayLength) throw cannotCross(path, `an array of more than ${maxArrayLength} elements`);
    const copy = new Array<unknown>(items.length);
    this.wireItems++;
    for (let index = 0; index < items.length; index++) {
      if (Object.hasOwn(items, index)) {
        assertData(items, index, `${path}[${index}]`);
        copy[index] = this.#copy(items[index], `${path}[${index}]`, depth + 1);
      } else {
        this.#special();
        this.mostBytes += mostBytes.item;
      }
    }
    return copy;
  }

  /** Counts a special value as what it is on the wire: an object with one field. */
  #special(): void {
    this.#plain = false;
    this.wireItems += 2;
  }

  #copyObject(object: object, path: string, depth: number): object {
    const prototype: unknown = Object.getPrototypeOf(object);
    if (prototype !== null && prototype !== Object.prototype) throw cannotCross(path, describeKind(object));
    const copy: Record<string, unknown> = {};
    const keys = Object.keys(object);
    this.wireItems += 1 + keys.length;
    for (const key of keys) {
      if (key === tag) {
        this.#plain = false;
        // On the wire this object has two fields in place of its own, and one of them is a list of pairs.
        this.wireItems += 3;
      }
      this.mostBytes += mostBytes.unit * key.length;
      assertData(object, key, `${path}.${key}`);
      setOwn(copy, key, this.#copy((object as Record<string, unknown>)[key], `${path}.${key}`, depth + 1));
    }
    return copy;
  }
}

/**
 * Whether reading an own property runs code. The function is taken from `Object.prototype` when this module loads.
 * Getting the descriptor of each property would take five times as long.
 */
const lookupGetter = (Object.prototype as unknown as { __lookupGetter__: (key: PropertyKey) => unknown })
  .__lookupGetter__;

/** @throws {SandboxError} `invalid_request` for an own property with a getter or a setter */
function assertData(object: object, key: PropertyKey, path: string): void {
  if (lookupGetter.call(object, key) !== undefined) throw cannotCross(path, 'a getter');
  // Only a field that reads as `undefined` can have a setter alone, and such fields are rare.
  if ((object as Record<PropertyKey, unknown>)[key] !== undefined) return;
  if (Object.getOwnPropertyDescriptor(object, key)?.set !== undefined) throw cannotCross(path, 'a setter');
}

/** Like `object[key] = value`, but works for `__proto__` and for names that a host has frozen in `Object.prototype`. */
export function setOwn<T>(object: Record<string, T>, key: string, value: T): void {
  if (!(key in Object.prototype)) object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * The value that a peer sent, as new plain objects and arrays.
 *
 * @throws {SandboxError} `protocol_error` for malformed tags
 */
export function decodeValue(wire: WireValue): SandboxValue {
  return ('json' in wire ? wire.json : fromTagged(wire.tagged)) as SandboxValue;
}

function toTagged(value: unknown): unknown {
  const special = specialTag(value);
  if (special !== undefined) return { [tag]: special };
  if (Array.isArray(value)) {
    return Array.from(value, (item, index) => (index in value ? toTagged(item) : { [tag]: 'hole' }));
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, toTagged(item)] as const);
  // `Object.fromEntries` defines properties, so a key `__proto__` stays an ordinary key.
  return Object.hasOwn(value, tag) ? { [tag]: 'object', entries } : Object.fromEntries(entries);
}

function fromTagged(value: unknown, depth = 1): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxMessageDepth) throw malformed('nests too deep');
  if (Array.isArray(value)) {
    const result = new Array<unknown>(value.length);
    value.forEach((item, index) => {
      if (!isHole(item)) result[index] = fromTagged(item, depth + 1);
    });
    return result;
  }
  const special = specialOf(value);
  if (special !== undefined) return specialValues.get(special);
  return Object.fromEntries(entriesOf(value).map(([key, item]) => [key, fromTagged(item, depth + 1)]));
}

/**
 * The name of the special value that a tagged object stands for, such as `NaN`; `undefined` when it stands for an
 * object.
 *
 * @throws {SandboxError} `protocol_error` for a tag that is not in the table
 */
export function specialOf(object: object): SpecialName | undefined {
  if (!Object.hasOwn(object, tag)) return undefined;
  const name = (object as Record<string, unknown>)[tag];
  if (name === 'object') return undefined;
  if (!specialValues.has(name)) throw malformed('has a tag that is not in the table');
  if (Object.keys(object).length > 1) throw malformed('has a tag with more beside it');
  return name as SpecialName;
}

/**
 * The entries of a tagged object that stands for an object.
 *
 * @throws {SandboxError} `protocol_error` for entries that are not a list of pairs
 */
export function entriesOf(object: object): [string, unknown][] {
  if (!Object.hasOwn(object, tag)) return Object.entries(object);
  const { [tag]: name, entries, ...rest } = object as Record<string, unknown>;
  if (name !== 'object' || !Array.isArray(entries) || Object.keys(rest).length > 0) {
    throw malformed('has a tagged object without entries, or with other fields beside them');
  }
  if (!entries.every(isEntry)) throw malformed('has an entry that is not a pair of a key and a value');
  return entries;
}

function isEntry(entry: unknown): entry is [string, unknown] {
  return Array.isArray(entry) && entry.length === 2 && typeof entry[0] === 'string';
}

function malformed(why: string): SandboxError {
  return new SandboxError('protocol_error', `A value on the wire ${why}.`);
}

/** Whether a value is a hole, which may stand in an array only. */
export function isHole(item: unknown): boolean {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false;
  return (
    Object.hasOwn(item, tag) && (item as Record<string, unknown>)[tag] === 'hole' && Object.keys(item).length === 1
  );
}

function tooMany(what: string): SandboxError {
  return new SandboxError(
    'limit_exceeded',
    `${what}: more than ${maxItems} items in one value. Pass less, or put the data into a file.`,
    { details: { limit: 'value_items', value: maxItems, unit: 'items' } },
  );
}

function cannotCross(path: string, why: string): SandboxError {
  return new SandboxError(
    'invalid_request',
    `${path} is ${why} and cannot cross into the sandbox: only null, booleans, numbers, strings, ` +
      'arrays and plain objects can. Convert it first.',
    { details: { path } },
  );
}

/** The name of the value's class. It is read without calling an accessor. */
function classNameOf(value: object): unknown {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== 'object' || prototype === null || isProxy(prototype)) return undefined;
  const constructor: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  if (typeof constructor !== 'function' || isProxy(constructor)) return undefined;
  return Object.getOwnPropertyDescriptor(constructor, 'name')?.value;
}

function describeKind(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    const name = classNameOf(value);
    return typeof name === 'string' && name !== '' ? `a ${name}` : 'an object with a prototype of its own';
  }
  return typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`;
}

import { types } from 'node:util';
import { encodeValue, maxThrownDetails, maxValueDepth, withoutPaths, type HostError } from '@mustard-sandbox/protocol';

const { isDate, isProxy } = types;

/**
 * The parts of a thrown value that a script may see: neither stack nor cause. Only data properties are read, because
 * reporting an error must run no code of the host, neither a getter nor the traps of a proxy.
 */
export function describeThrown(error: unknown): HostError {
  const name = dataOf(error, 'name');
  const code = dataOf(error, 'code');
  // The author of a host function chose its messages, but a message of the system about a failed call names paths of
  // the host.
  const isOfSystem = dataOf(error, 'syscall') !== undefined;
  const message = isOfSystem ? withoutPaths(messageIn(error)) : messageIn(error);
  const details = isOfSystem ? undefined : asJson(dataOf(error, 'details'));
  return {
    name: typeof name === 'string' && name !== 'SandboxError' ? name.slice(0, 256) : 'Error',
    message: message.slice(0, 16 * 1024),
    ...(typeof code === 'string' && { code: code.slice(0, 256) }),
    ...(details !== undefined && { details }),
  };
}

/** The data of a property, own or inherited; `undefined` when reading it would run code. */
function dataOf(value: unknown, key: string): unknown {
  for (let object = value; isObject(object) && !isProxy(object); object = Object.getPrototypeOf(object) as unknown) {
    const property = Object.getOwnPropertyDescriptor(object, key);
    if (property === undefined) continue;
    // The error that Node throws for an abort has its name and message as getters of Node.
    if (object === DOMException.prototype) return nativeData(property, value);
    return property.value;
  }
  return undefined;
}

function nativeData(property: PropertyDescriptor, error: unknown): unknown {
  try {
    return property.get === undefined ? property.value : property.get.call(error);
  } catch {
    // It inherits from `DOMException`, but is not one.
    return undefined;
  }
}

function messageIn(error: unknown): string {
  if (!isObject(error)) return String(error);
  const message = dataOf(error, 'message');
  if (message !== undefined && isPrimitive(message)) return String(message);
  const fields = JSON.stringify(asJson(error) ?? {});
  return fields === '{}' ? 'an error without a message' : fields.slice(0, 1_000);
}

/** A copy of an object as JSON; `undefined` for any other value, and for one that is too long or nests too deep. */
function asJson(value: unknown): Record<string, unknown> | undefined {
  if (!isObject(value) || typeof value === 'function' || Array.isArray(value)) return undefined;
  try {
    const text = JSON.stringify(new DataCopy().of(value, 1));
    if (text.length > maxThrownDetails || !text.startsWith('{')) return undefined;
    const details = JSON.parse(text) as Record<string, unknown>;
    // Throws for a value that may not cross.
    encodeValue(details, 'details');
    return details;
  } catch {
    return undefined;
  }
}

/** Copies the data that `JSON.stringify` would write, without running any code of the value. */
class DataCopy {
  #items = 0;

  /** @throws {RangeError} for a value that is too large to be used */
  of(value: unknown, depth: number): unknown {
    if (++this.#items > maxThrownDetails || depth > maxValueDepth) throw new RangeError('too much');
    if (typeof value === 'bigint') throw new RangeError('no JSON');
    if (!isObject(value)) return value;
    if (typeof value === 'function' || isProxy(value)) return undefined;
    if (isDate(value)) return Date.prototype.toJSON.call(value);
    if (Array.isArray(value))
      return Array.from({ length: value.length }, (_, at) => this.#field(value, String(at), depth));
    return Object.fromEntries(Object.keys(value).map((key) => [key, this.#field(value, key, depth)]));
  }

  #field(object: object, key: string, depth: number): unknown {
    return this.of(Object.getOwnPropertyDescriptor(object, key)?.value, depth + 1);
  }
}

function isPrimitive(value: unknown): value is string | number | bigint | boolean | symbol | null | undefined {
  return !isObject(value);
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

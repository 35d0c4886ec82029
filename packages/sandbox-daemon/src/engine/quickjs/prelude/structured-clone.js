// `structuredClone`, for what scripts hold.

export function installStructuredClone() {
  function structuredClone(value) {
    return clone(value, new Map());
  }
  Object.defineProperty(globalThis, 'structuredClone', { value: structuredClone, writable: true, configurable: true });
}

function clone(value, known) {
  if (typeof value === 'function' || typeof value === 'symbol') throw notCloneable(String(value));
  if (typeof value !== 'object' || value === null) return value;
  if (known.has(value)) return known.get(value);
  const copy = emptyCopy(value);
  known.set(value, copy);
  if (copy instanceof Map) for (const [key, item] of value) copy.set(clone(key, known), clone(item, known));
  else if (copy instanceof Set) for (const item of value) copy.add(clone(item, known));
  else if (Array.isArray(copy) || isPlain(copy)) {
    for (const key of Object.keys(value)) copy[key] = clone(value[key], known);
  }
  return copy;
}

const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

/** A new value of the same kind, without its contents. */
function emptyCopy(value) {
  if (Array.isArray(value)) return new Array(value.length);
  if (value instanceof Map) return new Map();
  if (value instanceof Set) return new Set();
  if (value instanceof Date) return new Date(value.getTime());
  if (value instanceof RegExp) return new RegExp(value.source, value.flags);
  if (value instanceof Error) {
    const copy = new (errors[value.name] ?? Error)(value.message);
    if ('cause' in value)
      Object.defineProperty(copy, 'cause', { value: value.cause, writable: true, configurable: true });
    return copy;
  }
  if (value instanceof ArrayBuffer) return value.slice(0);
  if (ArrayBuffer.isView(value)) return value.slice === undefined ? copyOfView(value) : value.slice();
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) {
    throw notCloneable(Object.prototype.toString.call(value));
  }
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return Object(value.valueOf());
  return {};
}

const copyOfView = ({ buffer, byteOffset, byteLength }) =>
  new DataView(buffer.slice(byteOffset, byteOffset + byteLength));

const isPlain = (copy) => Object.getPrototypeOf(copy) === Object.prototype;

function notCloneable(what) {
  const error = new Error(`${what} could not be cloned.`);
  Object.defineProperty(error, 'name', { value: 'DataCloneError', writable: true, configurable: true });
  return error;
}

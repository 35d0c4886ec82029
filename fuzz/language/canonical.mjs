/**
 * A value as text: two are the same text exactly when they are the same value. Tells apart what JSON does not: `-0`,
 * `NaN`, `undefined`, holes, and the order of keys. Takes values of any realm.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function canonical(value) {
  return print(value, new Set());
}

/** @param {unknown} value @param {Set<object>} above what it is in */
function print(value, above) {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'function' || typeof value === 'symbol') return `<${typeof value}>`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (above.has(value)) return '<cycle>';
  above.add(value);
  const text = Array.isArray(value) ? printArray(value, above) : printObject(value, above);
  above.delete(value);
  return text;
}

function printArray(value, above) {
  const items = [];
  for (let index = 0; index < value.length; index++) {
    items.push(Object.hasOwn(value, index) ? print(value[index], above) : '<hole>');
  }
  return `[${items.join(',')}]`;
}

/** An instance of a class is what it holds, as in JSON. What is not made of keys is only named. */
function printObject(value, above) {
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  // A typed array is a list when it leaves a script.
  if (/^(?:Uint|Int|Float)\w+Array$/.test(kind)) return printArray(value, above);
  if (kind !== 'Object') return `<${kind}>`;
  const entries = Object.keys(value).map((key) => `${JSON.stringify(key)}:${print(value[key], above)}`);
  return `{${entries.join(',')}}`;
}

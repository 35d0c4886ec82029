/**
 * A value as text, as it leaves a script: two are the same text exactly when they leave as the same value. By the rules of
 * JSON, but for `NaN` and infinities; the order of keys counts. Takes values of any realm.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function canonical(value) {
  return print(value, new Set()) ?? 'undefined';
}

/**
 * @param {unknown} value
 * @param {Set<object>} above what it is in
 * @returns {string | undefined} `undefined` for what is left out
 */
function print(value, above) {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `"${value}"`;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return `<${typeof value}>`;
  // oxlint-disable-next-line typescript/no-base-to-string -- what is left is a boolean or null
  if (typeof value !== 'object' || value === null) return String(value);
  if (above.has(value)) return '<cycle>';
  above.add(value);
  const text = printObject(value, above);
  above.delete(value);
  return text;
}

function printList(items, above) {
  const texts = [];
  // By its length, so that a hole is an item.
  for (let index = 0; index < items.length; index++) texts.push(print(items[index], above) ?? 'null');
  return `[${texts.join(',')}]`;
}

function printObject(value, above) {
  if (Array.isArray(value)) return printList(value, above);
  if (typeof value.toJSON === 'function') return print(value.toJSON(), above);
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (/^(?:Uint|Int|Float|Big)\w+Array$|^Map$|^Set$|Iterator$|^Generator$/.test(kind))
    return printList([...value], above);
  if (kind === 'ArrayBuffer') return printList([...new Uint8Array(value)], above);
  if (kind === 'RegExp') return JSON.stringify(`/${value.source}/${value.flags}`);
  if (kind === 'Error') return print({ name: value.name, message: value.message }, above);
  if (kind === 'String' || kind === 'Number' || kind === 'Boolean') return print(value.valueOf(), above);
  if (kind !== 'Object') return `<${kind}>`;
  const fields = Object.keys(value).flatMap((key) => {
    const text = print(value[key], above);
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`];
  });
  return `{${fields.join(',')}}`;
}

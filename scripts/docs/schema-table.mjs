// A schema as a table: one row a field, nested fields as `outer.inner` and `list[].inner`.
import { toJSONSchema } from 'zod/v4/core';
import { inProse, table } from './markdown.mjs';

/**
 * @typedef {object} TableOptions
 * @property {(name: string) => string | undefined} [link] Markdown for a schema with a section of its own, by its constant
 * @property {boolean} [output] whether readers get such an object, instead of making one
 */

/**
 * @param schema a zod schema; its JSON Schema says types, bounds and defaults
 * @param {import('./schema-source.mjs').SchemaSource} source says what the fields mean
 * @param {TableOptions} [options]
 * @returns {string} a table; a sentence for an object without fields
 */
export function schemaTable(schema, source, { link, output = false } = {}) {
  const rows = rowsOf(jsonSchemaOf(schema), source, '', link ?? noLink);
  if (rows.length === 0) return 'An empty object.';
  if (!output) return table(['field', 'type', 'default', 'meaning'], rows);
  // Who gets an object need not know what a default fills in: the field is there.
  const always = rows.map(([name, type, there, meaning]) => [
    name,
    type,
    there === 'optional' || there === 'either' ? there : 'always',
    meaning,
  ]);
  return table(['field', 'type', 'there', 'meaning'], always);
}

/** The names of all fields that have no docstring. */
export function undocumentedFields(schema, source, link = noLink) {
  const rows = rowsOf(jsonSchemaOf(schema), source, '', link);
  return rows.flatMap(([name, , , meaning]) => (meaning === '' ? [name] : []));
}

const noLink = () => undefined;

function jsonSchemaOf(schema) {
  return toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
}

function rowsOf(json, source, prefix, link) {
  if (json.anyOf !== undefined) {
    return json.anyOf.flatMap((variant) => rowsOf(variant, source, prefix, link)).map(eitherOf);
  }
  return Object.entries(json.properties ?? {}).flatMap(([name, field]) => {
    const required = json.required?.includes(name) ?? false;
    return fieldRows(`${prefix}${name}`, field, source.fields.get(name), required, link);
  });
}

function fieldRows(path, field, source, required, link) {
  const linked = source?.name === undefined ? undefined : link(source.name);
  const custom = source?.type === undefined ? undefined : `\`${source.type}\``;
  const type = linked ?? custom ?? typeOf(field);
  const meaning = inProse(source?.doc?.text ?? field.description ?? '');
  const row = [`\`${path}\``, type, presence(field, source, required), meaning];
  if (linked !== undefined || source === undefined) return [row];
  const isList = field.items !== undefined;
  const nested = rowsOf(isList ? field.items : field, source, `${path}${isList ? '[]' : ''}.`, link);
  // A field of an obvious name and type inside a documented object needs no sentence of its own.
  return [row, ...nested.map((cells) => cells.map((cell) => cell || '–'))];
}

/** A field of one of several shapes is there when its shape is; a field inside of it when that is. */
function eitherOf([path, type, there, meaning]) {
  return [path, type, there === 'required' && !path.includes('.') ? 'either' : there, meaning];
}

function presence(field, source, required) {
  const told = source?.doc?.tags.find(([tag]) => tag === 'defaultValue')?.[1];
  if (told !== undefined) return told;
  if (field.default !== undefined) {
    const size = humanSize(field.default);
    return `\`${JSON.stringify(field.default)}\`${size === '' ? '' : ` = ${size}`}`;
  }
  return required ? 'required' : 'optional';
}

function typeOf(json) {
  if (json.anyOf !== undefined) return [...new Set(json.anyOf.map((one) => typeOf(one)))].join(' or ');
  if (Array.isArray(json.type)) return json.type.map((type) => typeOf({ ...json, type })).join(' or ');
  if (json.enum !== undefined) return json.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  switch (json.type) {
    case 'integer':
    case 'number':
      return `${json.type}${bounds(json)}`;
    case 'string':
      return `string${stringBounds(json)}`;
    case 'array':
      return `array of ${plural(typeOf(json.items))}${inParentheses([['at most', json.maxItems]])}`;
    case 'object':
      if (json.properties !== undefined) return 'object';
      return `object of ${plural(typeOf(json.additionalProperties))}`;
    default:
      return json.type ?? 'anything';
  }
}

/** What an integer cannot pass anyway is no bound. */
function bounds({ minimum = -Infinity, maximum = Infinity }) {
  return inParentheses([
    ['≥', minimum > -Number.MAX_SAFE_INTEGER ? minimum : undefined],
    ['≤', maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined],
  ]);
}

function stringBounds({ minLength, maxLength, pattern }) {
  const matching = pattern === undefined ? '' : `, matching \`${pattern}\``;
  return inParentheses([
    ['length ≥', minLength],
    ['length ≤', maxLength],
  ]).concat(matching);
}

function inParentheses(parts) {
  const there = parts.filter(([, number]) => number !== undefined);
  return there.length === 0 ? '' : ` (${there.map(([word, number]) => `${word} ${shown(number)}`).join(', ')})`;
}

function shown(number) {
  const size = humanSize(number);
  return size === '' ? number.toLocaleString('en-US') : `${number.toLocaleString('en-US')} = ${size}`;
}

/** `64 MiB` for a number that looks like a number of bytes; empty for any other. */
export function humanSize(number) {
  /** @type {[number, string][]} */
  const units = [
    [3, 'GiB'],
    [2, 'MiB'],
    [1, 'KiB'],
  ];
  for (const [power, unit] of units) {
    const count = number / 1024 ** power;
    if (number >= 4096 && Number.isInteger(count) && count < 1024) return `${count} ${unit}`;
  }
  return '';
}

function plural(type) {
  return type.replace(/^(string|integer|number|object)\b/, '$1s').replace(' or object', ' or objects');
}

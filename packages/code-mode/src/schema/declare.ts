import { oneLine } from '@mustard-sandbox/protocol';
import { isObject, resolveRef, type Schema } from './schema.ts';

const identifier = /^[A-Za-z_$][\w$]*$/;
/** How many parts a type may have. Further parts are `unknown`. */
const mostParts = 400;
const mostDepth = 12;
const mostDescription = 200;

/**
 * The TypeScript type of the values that a JSON Schema accepts. A value that is not a schema, or a schema that is too
 * large, is `unknown`.
 */
export function typeOf(schema: unknown): string {
  return new Writer(schema).type(schema, 0);
}

/** A text of another author as a comment of TypeScript, on one line. Empty when there is none. */
export function comment(text: unknown, maxCharacters = mostDescription): string {
  if (typeof text !== 'string' || text.trim() === '') return '';
  const line = oneLine(text.trim().replaceAll(/\s+/g, ' '), maxCharacters);
  return `/** ${line.replaceAll('*/', '* /').replaceAll('```', "'''")} */ `;
}

class Writer {
  readonly #root: unknown;
  readonly #open = new Set<Schema>();
  #parts = mostParts;

  constructor(root: unknown) {
    this.#root = root;
  }

  type(given: unknown, depth: number): string {
    if (given === false) return 'never';
    if (!isObject(given) || depth > mostDepth || --this.#parts < 0 || this.#open.has(given)) return 'unknown';
    this.#open.add(given);
    const type = this.#typeOf(given, depth + 1);
    this.#open.delete(given);
    return type;
  }

  #typeOf(schema: Schema, depth: number): string {
    const { $ref: ref, const: only, enum: some, anyOf, oneOf, allOf, type } = schema;
    if (typeof ref === 'string') return this.type(resolveRef(this.#root, ref), depth);
    if ('const' in schema) return literal(only);
    if (Array.isArray(some)) return union(some.slice(0, 100).map(literal));
    const choice = anyOf ?? oneOf;
    if (Array.isArray(choice)) return union(choice.map((each) => this.type(each, depth)));
    if (Array.isArray(allOf)) return intersection(allOf.map((each) => this.type(each, depth)));
    if (Array.isArray(type)) return union(type.map((each) => this.#plain({ ...schema, type: each as unknown }, depth)));
    const plain = this.#plain(schema, depth);
    return schema['nullable'] === true ? union([plain, 'null']) : plain;
  }

  #plain(schema: Schema, depth: number): string {
    switch (schema['type']) {
      case 'string':
        return 'string';
      case 'number':
      case 'integer':
        return 'number';
      case 'boolean':
        return 'boolean';
      case 'null':
        return 'null';
      case 'array':
        return this.#list(schema, depth);
      default:
        return schema['type'] === 'object' || isObject(schema['properties']) ? this.#object(schema, depth) : 'unknown';
    }
  }

  #list({ items, prefixItems }: Schema, depth: number): string {
    if (!Array.isArray(prefixItems)) return `Array<${this.type(items, depth)}>`;
    const first = prefixItems.map((each) => this.type(each, depth));
    return `[${[...first, ...(items === false ? [] : [`...Array<${this.type(items, depth)}>`])].join(', ')}]`;
  }

  #object({ properties, required, additionalProperties: more }: Schema, depth: number): string {
    const names = new Set(Array.isArray(required) ? required : []);
    const fields = Object.entries(isObject(properties) ? properties : {}).map(([name, field]) => {
      const key = identifier.test(name) ? name : JSON.stringify(name);
      const said = comment(isObject(field) ? field['description'] : undefined);
      return `${said}${key}${names.has(name) ? '' : '?'}: ${this.type(field, depth)}`;
    });
    if (fields.length === 0) return `Record<string, ${isObject(more) ? this.type(more, depth) : 'unknown'}>`;
    if (isObject(more)) fields.push('[key: string]: unknown');
    return `{ ${fields.join('; ')} }`;
  }
}

function literal(value: unknown): string {
  const isPlain = value === null || ['string', 'number', 'boolean'].includes(typeof value);
  return isPlain ? JSON.stringify(value).replaceAll('`', String.raw`\u0060`) : 'unknown';
}

function union(types: readonly string[]): string {
  const all = [...new Set(types)];
  return all.length === 0 ? 'unknown' : all.map((type) => (type.includes(' & ') ? `(${type})` : type)).join(' | ');
}

function intersection(types: readonly string[]): string {
  const all = [...new Set(types)].filter((type) => type !== 'unknown');
  return all.length === 0 ? 'unknown' : all.map((type) => (type.includes(' | ') ? `(${type})` : type)).join(' & ');
}

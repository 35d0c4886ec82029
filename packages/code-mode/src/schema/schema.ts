/** A JSON Schema that is an object. */
export type Schema = Record<string, unknown>;

/** A longer schema is not for a model to read, nor for a host to look through. */
const longest = 64 * 1024;

export function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A schema of another author as plain data; `undefined` when it is not a schema, or too long. */
export function plainSchema(schema: unknown): Schema | undefined {
  try {
    const text = JSON.stringify(schema);
    const plain = text.length > longest ? undefined : (JSON.parse(text) as unknown);
    return isObject(plain) ? plain : undefined;
  } catch {
    // It has a cycle, or nests deeper than the stack allows.
    return undefined;
  }
}

/** The target of a reference in the same schema. Nothing is ever loaded. */
export function resolveRef(root: unknown, ref: string): unknown {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const part of ref.slice(2).split('/')) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Schema)[key];
  }
  return at;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A JSON Schema that is an object. */
export type Schema = Record<string, unknown>;

/** More is nothing that a model should read, or a host look through. */
const longest = 64 * 1024;

export function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A schema of somebody else as plain data; `undefined` where it is none, or too long. */
export function plainSchema(schema: unknown): Schema | undefined {
  try {
    const text = JSON.stringify(schema);
    const plain = text.length > longest ? undefined : (JSON.parse(text) as unknown);
    return isObject(plain) ? plain : undefined;
  } catch {
    // It has a cycle, or nests deeper than the stack goes.
    return undefined;
  }
}

/** What a reference in the same schema leads to. Nothing is ever loaded. */
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

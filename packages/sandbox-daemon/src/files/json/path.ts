/** One step into a JSON value: a key or an index as text, or all of them. */
export type Segment = string | typeof all;
/** The `*` of a JSONPath. */
export const all = Symbol('all');

const jsonPathStep = /\.([\p{L}_$][\p{L}\p{N}_$-]*)|\[(\d+)\]|\[(?:'([^'\\]*)'|"([^"\\]*)")\]|(\.\*|\[\*\])/uy;

/**
 * Splits a JSON Pointer (`/items/0/price`) or a simple JSONPath (`$.items[*].price`) into steps.
 *
 * @returns `undefined` for a text of neither kind
 */
export function parsePath(text: string): Segment[] | undefined {
  if (text.startsWith('$')) return parseJsonPath(text);
  if (text !== '' && !text.startsWith('/')) return undefined;
  return text
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function parseJsonPath(text: string): Segment[] | undefined {
  const segments: Segment[] = [];
  jsonPathStep.lastIndex = 1;
  while (jsonPathStep.lastIndex < text.length) {
    const step = jsonPathStep.exec(text);
    if (step === null) return undefined;
    const [, name, index, single, double, star] = step;
    segments.push(star === undefined ? (name ?? index ?? single ?? double ?? '') : all);
  }
  return segments;
}

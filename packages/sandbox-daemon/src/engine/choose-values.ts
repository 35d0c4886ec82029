// What `choose.ts` knows of the values of a script, and what MustardScript does with them exactly as JavaScript does.
import { unwrap, type AnyNode } from './read/syntax.ts';

/** `any` may be anything that a host gives, `primitive` no object, `texts` is a list of texts. */
export type Kind = 'number' | 'text' | 'boolean' | 'nothing' | 'primitive' | 'texts' | 'list' | 'object' | 'any';

/**
 * `paths`: where its objects come from, for MustardScript lets no object leave twice. `#1lookup.rows.0` is what call 1, of
 * `lookup`, gave in the first of its `rows`, `#2` is what the script made itself, `*` is any element.
 */
export interface Value {
  kind: Kind;
  paths: readonly string[];
}

export type Of<T extends AnyNode['type']> = Extract<AnyNode, { type: T }>;

const notListed = Symbol('not listed');

/** Ends the search: the script has what is not on the list. */
export function no(): never {
  throw notListed;
}

/** Whether `search` comes to its end. */
export function isListed(search: () => void): boolean {
  try {
    search();
    return true;
  } catch (error) {
    if (error !== notListed) throw error;
    return false;
  }
}

const primitives = new Set<Kind>(['number', 'text', 'boolean', 'nothing', 'primitive']);

export function isPrimitive({ kind }: Value): boolean {
  return primitives.has(kind);
}

/** A value in which is no object that the script has elsewhere. */
export function one(kind: Kind): Value {
  return { kind, paths: [] };
}

/** One value or the other. */
export function joined(a: Value, b: Value): Value {
  const both = isPrimitive(a) && isPrimitive(b) ? 'primitive' : 'any';
  return { kind: a.kind === b.kind ? a.kind : both, paths: [...a.paths, ...b.paths] };
}

/** @param at `*` for any of them */
export function elementOf({ kind, paths }: Value, at: string): Value {
  return { kind: kind === 'texts' ? 'primitive' : 'any', paths: paths.map((path) => `${path}.${at}`) };
}

/** Whether a path leads to what one of the others leads to, into it, or around it. */
export function meets(path: string, others: readonly string[]): boolean {
  const steps = path.split('.');
  return others.some((other) =>
    other
      .split('.')
      .every((step, at) => steps[at] === undefined || step === '*' || steps[at] === '*' || step === steps[at]),
  );
}

const decimal = /^(?:0|[1-9]\d*)?(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export function literal({ value, raw = '' }: Of<'Literal'>): Value {
  if (typeof value === 'string') return isPlainText({ raw, cooked: value }) ? one('text') : no();
  if (typeof value === 'number') return decimal.test(raw) ? one('number') : no();
  if (typeof value === 'boolean') return one('boolean');
  return value === null && raw === 'null' ? one('nothing') : no();
}

/** Without halves of characters, which MustardScript has not, and escapes that only sloppy code has. */
export function isPlainText({ raw, cooked }: { raw: string; cooked?: string | null | undefined }): boolean {
  return !/\\[\d\r\n\u2028\u2029]/.test(raw) && !/\p{Surrogate}/u.test(cooked ?? '\ud800');
}

export function unary(operator: string, { kind }: Value): Value {
  if (operator === '!') return one('boolean');
  if (operator === 'typeof') return one('text');
  if (operator === 'void') return one('nothing');
  return kind === 'number' && /^[-+~]$/.test(operator) ? one('number') : no();
}

export function binary(operator: string, a: Value, b: Value): Value {
  const areNumbers = a.kind === 'number' && b.kind === 'number';
  if (/^[!=]==$/.test(operator)) return one('boolean');
  if (/^[!=]=$/.test(operator)) {
    const isAsked =
      a.kind === 'nothing' || b.kind === 'nothing' || (a.kind === b.kind && /^(?:number|text)$/.test(a.kind));
    return isAsked ? one('boolean') : no();
  }
  if (/^[<>]=?$/.test(operator)) return areNumbers ? one('boolean') : no();
  if (areNumbers && /^(?:[-+*/%&|^]|<<|>>>?)$/.test(operator)) return one('number');
  const isText = a.kind === 'text' || b.kind === 'text';
  return operator === '+' && isText && isPrimitive(a) && isPrimitive(b) ? one('text') : no();
}

/** `a?.b.c` goes on after nothing in MustardScript. */
export function isOptionalToTheEnd(node: AnyNode): boolean {
  if (node.type !== 'MemberExpression') return false;
  if (!hasOptional(node.object)) return true;
  return node.optional && isOptionalToTheEnd(node.object);
}

function hasOptional(node: AnyNode): boolean {
  return node.type === 'MemberExpression' && (node.optional || hasOptional(node.object));
}

const integer = /^(?:0|[1-9]\d{0,8})$/;

/** The element that `[0]` names. */
export function indexOf(node: Of<'MemberExpression'>): string | undefined {
  const inner = unwrap(node.property);
  if (!node.computed || inner.type !== 'Literal' || typeof inner.value !== 'number') return undefined;
  return integer.test(inner.raw ?? '') ? inner.raw : no();
}

/** A whole number as it is written, with a sign or none. */
export function isWhole(node: AnyNode): boolean {
  const inner = node.type === 'UnaryExpression' && node.operator === '-' ? node.argument : node;
  return inner.type === 'Literal' && typeof inner.value === 'number' && integer.test(inner.raw ?? '');
}

/** The last arguments of `JSON.stringify(value, null, 2)`. */
export function isIndent(args: readonly AnyNode[]): boolean {
  const [replacer, indent, ...more] = args;
  if (replacer === undefined) return true;
  if (replacer.type !== 'Literal' || replacer.raw !== 'null' || more.length > 0) return false;
  return indent === undefined || (isWhole(indent) && indent.type === 'Literal');
}

/** The name of a field that a literal or a pattern names. */
export function keyOf({ key, computed }: Of<'Property'>): string {
  if (computed) no();
  if (key.type === 'Identifier') return plainName(key);
  if (key.type !== 'Literal') return no();
  if (
    typeof key.value === 'string' &&
    isPlainText({ raw: key.raw ?? '', cooked: key.value }) &&
    !key.value.includes('.')
  )
    return key.value;
  return typeof key.value === 'number' && integer.test(key.raw ?? '') ? String(key.value) : no();
}

/** The name of an identifier that is written without escapes. */
export function plainName({ name, start, end }: Of<'Identifier'>): string {
  return end - start === name.length ? name : no();
}

// What `choose.ts` knows of the values of a script, and which operations MustardScript does exactly as JavaScript does.
import { isBuiltinName, type BuiltinName } from '@mustard-sandbox/protocol';
import { memberName, unwrap, type AnyNode } from './read/syntax.ts';

/** `any` may be anything that a host gives, `primitive` is any value but an object, `texts` is a list of texts. */
export type Kind = 'number' | 'text' | 'boolean' | 'nothing' | 'primitive' | 'texts' | 'list' | 'object' | 'any';

/**
 * `paths` say where the value's objects come from, because MustardScript lets no object leave twice. `#1lookup.rows.0`
 * is what call 1, of `lookup`, gave in the first of its `rows`. `#2` is what the script made itself. `*` is any
 * element.
 */
export interface Value {
  kind: Kind;
  paths: readonly string[];
}

export type Of<T extends AnyNode['type']> = Extract<AnyNode, { type: T }>;

/** Made once, because recording the place of each throw would take longer than everything else. */
const notListed = new Error('The script has what is not on the list.');

/** Ends the search, because the script uses something that is not on the list. */
export function no(): never {
  throw notListed;
}

/** Whether `search` comes to its end without `no()`. */
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

/** Whether it is a list of known length. A text has no known length. */
export function isList({ kind }: Value): boolean {
  return kind === 'list' || kind === 'texts';
}

/** Names of members that some value has by itself. The two languages differ in them, or nobody has compared them. */
const inherited = new Set<string>(['toJSON', 'then', 'toWellFormed', 'with', 'truncated', 'skipped']);
for (const { prototype } of [Object, String, Array, Number, Boolean, Function]) {
  for (const name of Object.getOwnPropertyNames(prototype)) inherited.add(name);
}
inherited.delete('name');

/** The name of a field, if no value has a member of that name by itself. */
export function ownName(name: string | undefined): string {
  return name === undefined || inherited.has(name) ? no() : name;
}

/** Whether this may be the name of an input or a host function. */
export function isGivenName(name: string): boolean {
  const isAmbient = /^(?:[A-Z_$]|(?:arguments|require|module|exports|window|self|document)$)/.test(name);
  return !isAmbient && !(name in globalThis) && !isBuiltinName(name);
}

/** A value that holds no object which the script has elsewhere. */
export function one(kind: Kind): Value {
  return { kind, paths: [] };
}

/** A value that is one of the two. */
export function joined(a: Value, b: Value): Value {
  const both = isPrimitive(a) && isPrimitive(b) ? 'primitive' : 'any';
  return { kind: a.kind === b.kind ? a.kind : both, paths: [...a.paths, ...b.paths] };
}

/** @param at `*` for any element */
export function elementOf({ kind, paths }: Value, at: string): Value {
  return { kind: kind === 'texts' ? 'primitive' : 'any', paths: paths.map((path) => `${path}.${at}`) };
}

/** One field of a known object. */
export function fieldOf({ kind, paths }: Value, field: string | undefined): Value {
  const name = kind === 'text' || kind === 'primitive' || kind === 'list' || kind === 'texts' ? no() : ownName(field);
  // A function of the host may be the value whose field is read.
  if (name === 'name' && paths.some((path) => !/[#.]/.test(path))) no();
  const of = paths.length === 1 ? /^#\d+(\w+)$/.exec(paths[0] as string)?.[1] : undefined;
  return { kind: fieldsOf[`${of}.${name}`] ?? 'any', paths: paths.map((path) => `${path}.${name}`) };
}

/** Some elements of a list, in other places. */
export function someOf({ kind, paths }: Value): Value {
  return { kind, paths: paths.map((path) => `${path}.~`) };
}

/** Which objects the script has put into lists and objects. */
export class Placed {
  #paths: string[] = [];

  add(value: Value): void {
    if (isPrimitive(value)) return;
    if (value.paths.some((path) => meets(path, this.#paths))) no();
    this.#paths.push(...value.paths);
  }

  /**
   * An object may be in two calls, but only once in each. Objects that are inside one of the script's own are recorded
   * too.
   */
  inCall(addAll: () => void): void {
    const outer = this.#paths;
    this.#paths = [];
    addAll();
    const isOwn = this.#paths.some((path) => /^#\d+(?:\.|$)/.test(path));
    if (isOwn && this.#paths.some((path) => meets(path, outer))) no();
    this.#paths = outer;
  }
}

/** Whether a path leads to the same object as one of the others, to a part of it, or to an object around it. */
function meets(path: string, others: readonly string[]): boolean {
  const steps = stepsOf(path);
  return others.some((other) =>
    stepsOf(other).every(
      (step, at) => steps[at] === undefined || step === '*' || steps[at] === '*' || step === steps[at],
    ),
  );
}

function stepsOf(path: string): string[] {
  return path.replace(/\.~.*/, '').split('.');
}

/** The kinds of value that built-ins give. For a built-in that is missing here a script needs a loop. */
export const given: Partial<Record<BuiltinName, Kind>> = {
  ...({ search: 'list', read_lines: 'texts', find_files: 'texts', list_files: 'texts', pdf_text: 'texts' } as const),
  ...({ read_file: 'text', read_json: 'any', query: 'object', file_stats: 'object' } as const),
};
/** What is known of the fields of these objects. */
const fieldsOf: Record<string, Kind> = {
  'query.rows': 'list',
  'file_stats.size': 'number',
  'file_stats.mtime': 'text',
};

const decimal = /^(?:0|[1-9]\d*)?(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export function literal({ value, raw = '' }: Of<'Literal'>): Value {
  if (typeof value === 'string') return isPlainText({ raw, cooked: value }) ? one('text') : no();
  if (typeof value === 'number') return decimal.test(raw) ? one('number') : no();
  if (typeof value === 'boolean') return one('boolean');
  return value === null && raw === 'null' ? one('nothing') : no();
}

/**
 * Whether a text has neither halves of characters, which MustardScript lacks, nor escapes that only sloppy code allows.
 */
function isPlainText({ raw, cooked }: { raw: string; cooked?: string | null | undefined }): boolean {
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

/** In MustardScript, `a?.b.c` continues even when `a` is missing. */
export function isOptionalToTheEnd(node: AnyNode): boolean {
  if (node.type !== 'MemberExpression') return false;
  if (!hasOptional(node.object)) return true;
  return node.optional && isOptionalToTheEnd(node.object);
}

function hasOptional(node: AnyNode): boolean {
  return node.type === 'MemberExpression' && (node.optional || hasOptional(node.object));
}

const integer = /^(?:0|[1-9]\d{0,8})$/;

/** The index that `[0]` names. */
export function indexOf(node: Of<'MemberExpression'>): string | undefined {
  const inner = unwrap(node.property);
  if (!node.computed || inner.type !== 'Literal' || typeof inner.value !== 'number') return undefined;
  return integer.test(inner.raw ?? '') ? inner.raw : no();
}

/** A whole number as it is written, with or without a sign. */
export function isWhole(node: AnyNode): boolean {
  const inner = node.type === 'UnaryExpression' && node.operator === '-' ? node.argument : node;
  return inner.type === 'Literal' && typeof inner.value === 'number' && integer.test(inner.raw ?? '');
}

/** Whether these are the last arguments of `JSON.stringify(value, null, 2)`. */
function isIndent(args: readonly AnyNode[]): boolean {
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

/** MustardScript adds up values that have no text between them. */
export function template({ quasis, expressions }: Of<'TemplateLiteral'>, valueOf: (node: AnyNode) => Value): Value {
  const values = expressions.map((expression) => valueOf(expression));
  if (!values.every(isPrimitive) || !quasis.every(({ value }) => isPlainText(value))) no();
  const isText = [0, 1].some((at) => quasis[at]?.value.raw || values[at]?.kind === 'text');
  return isText || values.length === 0 ? one('text') : no();
}

/** The value of a library function, such as `Object.keys`, for a value and further arguments. */
export function ofLibrary(name: string, value: Value, more: readonly AnyNode[]): Value {
  if (name === 'JSON.stringify') return isIndent(more) ? one('primitive') : no();
  if (more.length > 0) no();
  if (name === 'Array.isArray') return one('boolean');
  if (/^Math\.(?:floor|ceil|abs|trunc)$/.test(name)) return value.kind === 'number' ? one('number') : no();
  if (!/^Object\.(?:keys|values|entries)$/.test(name) || value.kind !== 'object') no();
  return name === 'Object.keys' ? one('texts') : someOf({ kind: 'list', paths: value.paths });
}

/** The value of a method that is called with a text. */
export function ofMethod(name: string, { kind }: Value): Value {
  if (name === 'join') return kind === 'texts' ? one('text') : no();
  if (name === 'includes') return kind === 'texts' || kind === 'text' ? one('boolean') : no();
  return kind === 'text' && /^(?:starts|ends)With$/.test(name) ? one('boolean') : no();
}

/** A call of the console gives nothing in one engine and a promise in the other, so its value must not be used. */
export function consoleArguments(node: AnyNode): Of<'CallExpression'>['arguments'] | undefined {
  if (node.type !== 'CallExpression' || node.optional || node.callee.type !== 'MemberExpression') return undefined;
  const { object, computed } = node.callee;
  if (object.type !== 'Identifier' || object.name !== 'console') return undefined;
  return !computed && /^(?:log|warn|error)$/.test(memberName(node.callee) ?? '') ? node.arguments : no();
}

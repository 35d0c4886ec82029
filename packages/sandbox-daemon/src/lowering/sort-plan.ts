import type { SortOperator, SortPlan } from './sort-operations.ts';
import { methodCall, unwrap, type AnyNode, type FunctionNode } from './syntax.ts';

/** What a comparator does, as V8 can do it over keys. */
export interface Comparing {
  plan: SortPlan;
  /** Code for the key of each column, of an element `it`. */
  columns: string[];
  /** The elements themselves are the only column. */
  isOfElements: boolean;
  /** The elements are taken apart by `[a]`, which only lists are here. */
  needsLists: boolean;
}

/** Where the names of a parameter lead to from the element. */
type Paths = Map<string, { side: 'a' | 'b'; path: string }>;

/**
 * The comparators whose source says all they do: differences, comparisons and `localeCompare` of parts of the two
 * elements, joined by `||`, `&&` and `? :`.
 *
 *     (a, b) => b.n - a.n                                     (x, y) => (x < y ? -1 : 1)
 *     ([, a], [, b]) => b - a                                 (a, b) => a.at - b.at || a.id.localeCompare(b.id)
 */
export function comparingOf(comparator: AnyNode): Comparing | undefined {
  const call = unwrap(comparator);
  if (call.type !== 'ArrowFunctionExpression' && call.type !== 'FunctionExpression') return undefined;
  const body = bodyOf(call);
  if (body === undefined || call.async || call.generator || call.params.length !== 2) return undefined;
  const paths: Paths = new Map();
  const [first, second] = call.params as [AnyNode, AnyNode];
  if (!bind(first, 'a', '', paths) || !bind(second, 'b', '', paths)) return undefined;
  const reader = new PlanReader(paths);
  const plan = reader.read(body);
  if (plan === undefined || reader.columns.length === 0) return undefined;
  const isOfElements = reader.columns.length === 1 && reader.columns[0] === 'it';
  const needsLists = [first, second].some(({ type }) => type === 'ArrayPattern');
  return { plan, columns: reader.columns, isOfElements, needsLists };
}

function bodyOf(call: FunctionNode): AnyNode | undefined {
  const { body } = call;
  if (body.type !== 'BlockStatement') return body;
  const [only, more] = body.body;
  return only?.type === 'ReturnStatement' && more === undefined ? (only.argument ?? undefined) : undefined;
}

function bind(pattern: AnyNode, side: 'a' | 'b', path: string, paths: Paths): boolean {
  if (pattern.type === 'Identifier') {
    paths.set(pattern.name, { side, path });
    return true;
  }
  if (pattern.type === 'ArrayPattern' && path === '') {
    return pattern.elements.every((element, at) => element === null || bindName(element, side, `[${at}]`, paths));
  }
  if (pattern.type !== 'ObjectPattern' || path !== '') return false;
  return pattern.properties.every(
    (property) =>
      property.type === 'Property' &&
      !property.computed &&
      property.key.type === 'Identifier' &&
      bindName(property.value, side, `.${property.key.name}`, paths),
  );
}

function bindName(node: AnyNode, side: 'a' | 'b', path: string, paths: Paths): boolean {
  return node.type === 'Identifier' && bind(node, side, path, paths);
}

const operators = new Set<string>(['-', '<', '>', '<=', '>=', '===', '!==', '==', '!=']);

class PlanReader {
  readonly columns: string[] = [];
  readonly #paths: Paths;

  constructor(paths: Paths) {
    this.#paths = paths;
  }

  read(node: AnyNode): SortPlan | undefined {
    const inner = unwrap(node);
    const number = numberOf(inner);
    if (number !== undefined) return number;
    if (inner.type === 'LogicalExpression' && inner.operator !== '??') {
      return this.#joined(inner.operator, this.read(inner.left), this.read(inner.right));
    }
    if (inner.type === 'ConditionalExpression') {
      const parts = [inner.test, inner.consequent, inner.alternate].map((part) => this.read(part));
      const [test, then, otherwise] = parts;
      if (test === undefined || then === undefined || otherwise === undefined) return undefined;
      return ['?', test, then, otherwise];
    }
    if (inner.type === 'BinaryExpression' && operators.has(inner.operator)) {
      // `===` of two Dates asks whether they are one.
      const takesTime = !/^[=!]/.test(inner.operator);
      const read = (side: AnyNode): SortPlan | undefined => this.#key(side, takesTime);
      return this.#joined(inner.operator as SortOperator, read(inner.left), read(inner.right));
    }
    const call = methodCall(inner);
    if (inner.type !== 'CallExpression' || call?.name !== 'localeCompare' || inner.arguments.length !== 1)
      return undefined;
    if (inner.optional || call.member.optional) return undefined;
    return this.#joined('locale', this.#key(call.object, false), this.#key(inner.arguments[0] as AnyNode, false));
  }

  #joined(operator: SortOperator, one: SortPlan | undefined, other: SortPlan | undefined): SortPlan | undefined {
    return one === undefined || other === undefined ? undefined : [operator, one, other];
  }

  /** @param takesTime whether a Date may stand for its time */
  #key(node: AnyNode, takesTime: boolean): SortPlan | undefined {
    const inner = unwrap(node);
    const number = numberOf(inner);
    if (number !== undefined) return number;
    const key = this.#pathOf(inner) ?? this.#madeOf(inner, takesTime);
    if (key === undefined) return undefined;
    const code = `it${key.path}`;
    const wrapped = key.wrap?.(code) ?? code;
    let column = this.columns.indexOf(wrapped);
    if (column === -1) column = this.columns.push(wrapped) - 1;
    return [key.side, column];
  }

  /** What is made of a part, always in the same way, and cannot be seen from elsewhere. */
  #madeOf(node: AnyNode, takesTime: boolean): (Part & { wrap: (code: string) => string }) | undefined {
    const call = methodCall(node);
    if (call !== undefined && ['toLowerCase', 'toUpperCase'].includes(call.name)) {
      if (node.type !== 'CallExpression' || node.arguments.length > 0 || call.member.optional) return undefined;
      const part = this.#pathOf(unwrap(call.object));
      return part && { ...part, wrap: (code) => `${code}.${call.name}()` };
    }
    if (node.type !== 'NewExpression' || !takesTime || node.arguments.length !== 1) return undefined;
    if (node.callee.type !== 'Identifier' || node.callee.name !== 'Date') return undefined;
    const part = this.#pathOf(unwrap(node.arguments[0] as AnyNode));
    return part && { ...part, wrap: (code) => `new Date(__ms_dateFrom(${code})).getTime()` };
  }

  /** `a.b[0].c` as a path below an element. */
  #pathOf(node: AnyNode): Part | undefined {
    if (node.type === 'Identifier') return this.#paths.get(node.name);
    if (node.type !== 'MemberExpression' || node.optional) return undefined;
    const below = this.#pathOf(unwrap(node.object));
    if (below === undefined) return undefined;
    const { property, computed } = node;
    if (!computed && property.type === 'Identifier') return { ...below, path: `${below.path}.${property.name}` };
    if (property.type !== 'Literal' || (typeof property.value !== 'string' && !isIndex(property.value)))
      return undefined;
    return { ...below, path: `${below.path}[${JSON.stringify(property.value)}]` };
  }
}

interface Part {
  side: 'a' | 'b';
  path: string;
  wrap?: (code: string) => string;
}

function isIndex(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function numberOf(node: AnyNode): number | undefined {
  if (node.type === 'Literal' && typeof node.value === 'number') return node.value;
  if (node.type !== 'UnaryExpression' || node.operator !== '-') return undefined;
  const value = numberOf(unwrap(node.argument));
  return value === undefined ? undefined : -value;
}

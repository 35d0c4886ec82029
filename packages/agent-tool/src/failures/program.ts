import { parse, type AnyNode, type Node } from 'acorn';

/** A node with the nodes around it, the outermost first. */
export interface Visit {
  node: AnyNode;
  ancestors: readonly AnyNode[];
}

// Nobody writes deeper code by hand, and the functions that walk the tree recurse without overflowing the stack.
const maxDepth = 200;

/** A script's syntax tree, flattened in source order. */
export class Program {
  readonly visits: readonly Visit[];

  /** @throws {RangeError} for a tree deeper than `maxDepth` */
  constructor(root: AnyNode) {
    const visits: Visit[] = [];
    walk(root, [], visits);
    this.visits = visits;
  }

  some(accepts: (node: AnyNode) => boolean): boolean {
    return this.visits.some(({ node }) => accepts(node));
  }
}

/**
 * Parses a script. Like the engine's parser, it allows `await` at the top level and a `return` at the end.
 *
 * @returns `undefined` for a script that is not JavaScript, or is nested too deep
 */
export function parseProgram(script: string): Program | undefined {
  try {
    const root = parse(script, {
      ecmaVersion: 'latest',
      locations: true,
      allowAwaitOutsideFunction: true,
      allowReturnOutsideFunction: true,
      allowHashBang: true,
    });
    return new Program(root);
  } catch {
    return undefined;
  }
}

function walk(node: AnyNode, ancestors: readonly AnyNode[], visits: Visit[]): void {
  if (ancestors.length > maxDepth) throw new RangeError('nested too deep');
  visits.push({ node, ancestors });
  const inside = [...ancestors, node];
  for (const child of nodesIn(node)) walk(child, inside, visits);
}

/** The nodes right below a node. */
export function nodesIn(node: AnyNode): AnyNode[] {
  return Object.values(node).flat().filter(isNode);
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string' && 'start' in value;
}

export function lineOf(node: Node): number {
  return node.loc?.start.line ?? 1;
}

/** The method that a call calls, `text.match(…)` → `match`, and the object it is called on. */
export function methodCall(
  node: AnyNode,
): { name: string; object: AnyNode; arguments: readonly AnyNode[] } | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined;
  const { property, object, computed } = node.callee;
  if (computed || property.type !== 'Identifier') return undefined;
  return { name: property.name, object, arguments: node.arguments };
}

const loops = new Set(['ForStatement', 'ForOfStatement', 'ForInStatement', 'WhileStatement', 'DoWhileStatement']);
const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const iterators = new Set(
  (
    'map forEach filter reduce reduceRight find findIndex findLast findLastIndex some every flatMap sort toSorted ' +
    'replace replaceAll from'
  ).split(' '),
);

export function isFunction(node: AnyNode | undefined): boolean {
  return node !== undefined && functions.has(node.type);
}

export function isLoop(node: AnyNode | undefined): boolean {
  return node !== undefined && loops.has(node.type);
}

/** Whether a function is a callback that runs for each element of a list or text. */
export function isCallback(node: AnyNode, parent: AnyNode | undefined): boolean {
  if (!isFunction(node) || parent?.type !== 'CallExpression' || parent.callee === node) return false;
  const call = methodCall(parent);
  return call !== undefined && iterators.has(call.name);
}

/**
 * The loops that run a node in each turn, the innermost first. A loop does not count for the expression that it goes
 * over, nor for the body of a function that is only defined inside it.
 */
export function loopsAround({ node, ancestors }: Visit): AnyNode[] {
  const found: AnyNode[] = [];
  const path = [...ancestors, node];
  for (let index = path.length - 2; index >= 0; index--) {
    const around = path[index] as AnyNode;
    const child = path[index + 1];
    if (isLoop(around) && !isSetUp(around, child)) found.push(around);
    if (isFunction(around)) {
      if (!isCallback(around, path[index - 1])) return found;
      found.push(around);
    }
  }
  return found;
}

function isSetUp(loop: AnyNode, child: AnyNode | undefined): boolean {
  if (loop.type === 'ForStatement') return loop.init === child;
  if (loop.type === 'ForOfStatement' || loop.type === 'ForInStatement') return loop.right === child;
  return false;
}

import type { CallExpression, Statement } from 'acorn';
import type { Names } from './names.ts';
import { isFunction, type Node } from './tree.ts';

/** How deep calls of functions within functions are followed. */
const mostDepth = 10;

/**
 * What a script surely does, if it ends without an error. It says yes only if the script could not do otherwise,
 * because such calls may be refused before the script runs.
 */
export class Certainty {
  readonly #names: Names;

  constructor(names: Names) {
    this.#names = names;
  }

  /** Whether the script reaches a node, and an error there ends the script. */
  isReached(node: Node, depth = 0): boolean {
    for (let child = node; child.parent !== undefined; child = child.parent) {
      const { parent } = child;
      if (isFunction(parent) && child !== parent) return depth < mostDepth && this.#isCalled(parent, child, depth + 1);
      if (!this.#comesTo(child, parent)) return false;
    }
    return true;
  }

  /** Whether the script waits for a promise, so that its rejection ends the script. */
  isAwaited(promise: Node, depth = 0): boolean {
    const { parent } = promise;
    if (parent?.type === 'AwaitExpression') return true;
    if (parent?.type === 'ArrayExpression') return this.#isPromiseAll(parent);
    // The result of an async function is awaited where the function is called.
    const isGiven = parent?.type === 'ReturnStatement' || parent?.type === 'ArrowFunctionExpression';
    if (!isGiven || depth > mostDepth) return false;
    let around: Node | undefined = parent;
    while (around !== undefined && !isFunction(around)) around = around.parent;
    return around !== undefined && this.#isWaitedFor(around, depth + 1);
  }

  /** Whether control goes from a node to its child, whatever the values are. */
  #comesTo(child: Node, parent: Node): boolean {
    switch (parent.type) {
      case 'Program':
      case 'BlockStatement':
        return (parent.body as Statement[]).every((each) => (each as Node).start >= child.start || !mayLeave(each));
      case 'IfStatement':
      case 'ConditionalExpression':
      case 'WhileStatement':
        return parent.test === child;
      case 'LogicalExpression':
        return parent.left === child;
      case 'AssignmentExpression':
        return !/^(&&|\|\||\?\?)=$/.test(parent.operator);
      case 'SwitchStatement':
        return parent.discriminant === child;
      case 'ForOfStatement':
        return (
          parent.right === child || (parent.body === child && !parent.await && this.#names.isFilledList(parent.right))
        );
      case 'ForStatement':
        return parent.init === child || parent.test === child;
      case 'ForInStatement':
        return parent.right === child;
      case 'DoWhileStatement':
        return parent.body === child;
      case 'TryStatement':
        // The error could be caught, and an error in `finally` could replace it.
        return false;
      case 'AssignmentPattern':
      case 'ClassBody':
      case 'ChainExpression':
      case 'SwitchCase':
      case 'CatchClause':
      case 'LabeledStatement':
      case 'WithStatement':
        return false;
      default:
        return true;
    }
  }

  /** Whether a function is surely called: in place, by its only name, or with each item of a list that has some. */
  #isCalled(called: Node, part: Node, depth: number): boolean {
    if (!('body' in called) || called.body !== part || ('generator' in called && called.generator)) return false;
    if ('async' in called && called.async && !this.#isWaitedFor(called, depth)) return false;
    return this.#callsOf(called).some((call) => this.isReached(call, depth));
  }

  /** Whether the promises of an async function are awaited. */
  #isWaitedFor(called: Node, depth: number): boolean {
    const list = this.#listCallOf(called);
    if (list !== undefined) return this.#isPromiseAll(list);
    const calls = this.#callsOf(called);
    return calls.length > 0 && calls.every((call) => this.isAwaited(call, depth));
  }

  #callsOf(called: Node): Node[] {
    const { parent } = called;
    if (parent?.type === 'CallExpression' && parent.callee === called) return [parent];
    const list = this.#listCallOf(called);
    if (list !== undefined) return [list];
    const name = nameOf(called);
    if (name === undefined || !this.#names.isOnlyDeclaration(name)) return [];
    return this.#names.usesOf(name).flatMap((use) => {
      const call = use.parent;
      return call?.type === 'CallExpression' && call.callee === use && !call.optional ? [call] : [];
    });
  }

  /** The call `list.map(called)`, if the list surely has an item. */
  #listCallOf(called: Node): (CallExpression & Node) | undefined {
    const call = called.parent;
    if (call?.type !== 'CallExpression' || call.arguments[0] !== called || call.optional) return undefined;
    const { callee } = call;
    if (callee.type !== 'MemberExpression' || callee.computed || callee.optional) return undefined;
    const isEach =
      callee.property.type === 'Identifier' && ['map', 'forEach', 'flatMap'].includes(callee.property.name);
    return isEach && this.#names.isFilledList(callee.object) ? call : undefined;
  }

  /** Whether a list of promises is awaited by `await Promise.all(…)`. */
  #isPromiseAll(list: Node): boolean {
    const call = list.parent;
    if (call?.type !== 'CallExpression' || call.arguments[0] !== list || call.callee.type !== 'MemberExpression')
      return false;
    const { object, property } = call.callee;
    const isAll = object.type === 'Identifier' && object.name === 'Promise' && !call.callee.computed;
    return isAll && property.type === 'Identifier' && property.name === 'all' && this.isAwaited(call);
  }
}

function nameOf(called: Node): string | undefined {
  if (called.type === 'FunctionDeclaration') return called.id?.name;
  const { parent } = called;
  const isNamed = parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier';
  return isNamed ? (parent.id as { name: string }).name : undefined;
}

/** Whether a statement may leave its list of statements without an error. */
function mayLeave(statement: Statement): boolean {
  return leaves(statement, { loop: false, switch: false });
}

function hasLabel({ label }: { label?: unknown }): boolean {
  return label !== null && label !== undefined;
}

function leaves(node: Node, inside: { loop: boolean; switch: boolean }): boolean {
  if (isFunction(node) || node.type.startsWith('Class')) return false;
  if (node.type === 'ReturnStatement') return true;
  if (node.type === 'YieldExpression') return true;
  if (node.type === 'BreakStatement') return hasLabel(node) || !(inside.loop || inside.switch);
  if (node.type === 'ContinueStatement') return hasLabel(node) || !inside.loop;
  // The code after a loop without an end is not reached.
  const isLoop = /^(For|While|DoWhile)/.test(node.type);
  const within = { loop: inside.loop || isLoop, switch: inside.switch || node.type === 'SwitchStatement' };
  return Object.entries(node).some(([key, value]) => {
    if (key === 'parent') return false;
    const parts = (Array.isArray(value) ? value : [value]) as unknown[];
    return parts.some(
      (part) => typeof (part as { type?: unknown } | null)?.type === 'string' && leaves(part as Node, within),
    );
  });
}

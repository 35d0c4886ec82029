import type { CallExpression, Program } from 'acorn';
import {
  bindingNames,
  childrenOf,
  isFunction,
  isReference,
  memberName,
  unwrap,
  type AnyNode,
  type FunctionNode,
} from './syntax.ts';
import { isBuiltinName } from '../protocol/builtins.ts';

/** A script without them has nothing that waits. */
export const mayWait = /\b(?:async|await)\b/;

/** By what a script has promises of its own. */
const promiseMembers = new Set(['then', 'catch', 'finally', 'fromAsync']);

/**
 * The async functions of a script in which nothing runs beside anything else: each call of one is awaited at once, and
 * so is each call of a host function. Such a script means the same without `async` and `await`, and can do more: the
 * engine answers what a script without promises calls at once.
 *
 * @returns `undefined` where something may run beside something else
 */
export function sequentialFunctions(
  program: Program,
  capabilities: ReadonlySet<string>,
): ReadonlySet<FunctionNode> | undefined {
  const search = new SequenceSearch(program, capabilities);
  search.visit(program);
  return search.isPossible() ? search.functions : undefined;
}

/** `text` with spaces instead of `async`, so that everything stays where it is. */
export function withoutAsync(text: string, functions: ReadonlySet<FunctionNode>): string {
  let plain = text;
  for (const node of functions) {
    plain = `${plain.slice(0, node.start)}${' '.repeat('async'.length)}${plain.slice(node.start + 'async'.length)}`;
    node.async = false;
  }
  return plain;
}

class SequenceSearch {
  readonly functions = new Set<FunctionNode>();
  readonly #program: Program;
  readonly #capabilities: ReadonlySet<string>;
  readonly #ancestors: AnyNode[] = [];
  /** Names of async functions. */
  readonly #names = new Set<string>();
  /** How often each name is declared or assigned. */
  readonly #bindings = new Map<string, number>();
  /** Names that are used in another way than by a call that is awaited at once. */
  readonly #free = new Set<string>();
  #isPossible = true;

  constructor(program: Program, capabilities: ReadonlySet<string>) {
    this.#program = program;
    this.#capabilities = capabilities;
  }

  isPossible(): boolean {
    return (
      this.#isPossible && [...this.#names].every((name) => this.#bindings.get(name) === 1 && !this.#free.has(name))
    );
  }

  visit(node: AnyNode): void {
    if (!this.#isPossible) return;
    this.#look(node);
    this.#ancestors.push(node);
    for (const child of childrenOf(node)) this.visit(child);
    this.#ancestors.pop();
  }

  #look(node: AnyNode): void {
    if (isFunction(node)) this.#lookAtFunction(node);
    switch (node.type) {
      case 'Identifier':
        this.#lookAtName(node);
        break;
      case 'MemberExpression':
        if (promiseMembers.has(memberName(node) ?? '')) this.#isPossible = false;
        break;
      case 'Property':
      case 'MethodDefinition':
        if (promiseMembers.has(keyName(node.key) ?? '')) this.#isPossible = false;
        break;
      case 'ForOfStatement':
        if (node.await) this.#isPossible = false;
        this.#bindAssigned(node.left);
        break;
      case 'ForInStatement':
      case 'AssignmentExpression':
        this.#bindAssigned(node.left);
        break;
      case 'VariableDeclarator':
        this.#bind(node.id);
        break;
      case 'ClassDeclaration':
      case 'ClassExpression':
        if (node.id) this.#bind(node.id);
        break;
      case 'CatchClause':
        if (node.param) this.#bind(node.param);
        break;
      default:
    }
  }

  #lookAtFunction(node: FunctionNode): void {
    for (const param of node.params) this.#bind(param);
    if (node.id) this.#bind(node.id);
    if (!node.async) return;
    this.functions.add(node);
    const parent = this.#ancestors.at(-1);
    if (node.type === 'FunctionDeclaration' && node.id) this.#names.add(node.id.name);
    else if (parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier') this.#names.add(parent.id.name);
    else if (!this.#isCalledAtOnce(node)) this.#isPossible = false;
    if (node.generator) this.#isPossible = false;
  }

  /** `await (async () => …)()` */
  #isCalledAtOnce(node: FunctionNode): boolean {
    const at = this.#ancestors.findLastIndex(({ type }) => type !== 'ParenthesizedExpression');
    const call = this.#ancestors[at];
    return call?.type === 'CallExpression' && unwrap(call.callee) === node && this.#isAwaited(call, at);
  }

  #lookAtName(node: AnyNode & { type: 'Identifier' }): void {
    const parent = this.#ancestors.at(-1);
    if (!isReference(node, parent)) return;
    if (node.name === 'Promise') this.#isPossible = false;
    const isAwaited =
      parent?.type === 'CallExpression' &&
      parent.callee === node &&
      this.#isAwaited(parent, this.#ancestors.length - 1);
    if (isAwaited || this.#isDeclared(node, parent)) return;
    this.#free.add(node.name);
    if (this.#capabilities.has(node.name) && !isBuiltinName(node.name)) this.#isPossible = false;
  }

  #isDeclared(node: AnyNode, parent: AnyNode | undefined): boolean {
    return (parent?.type === 'VariableDeclarator' || parent?.type === 'FunctionDeclaration') && parent.id === node;
  }

  /** Whether nothing else runs until the call that stands at `at` among the ancestors is over. */
  #isAwaited(call: CallExpression, at: number): boolean {
    if (call.optional) return false;
    let above = at - 1;
    while (this.#ancestors[above]?.type === 'ParenthesizedExpression') above--;
    const around = this.#ancestors[above];
    switch (around?.type) {
      case 'AwaitExpression':
        return true;
      case 'ExpressionStatement':
        return around === this.#program.body.at(-1);
      case 'ArrowFunctionExpression':
        return around.async && around.body.type !== 'BlockStatement' && unwrap(around.body) === call;
      case 'ReturnStatement':
        return this.#isReturnOfPromise(above);
      default:
        return false;
    }
  }

  /** A `try` around a `return` without `await` does not catch what is thrown. */
  #isReturnOfPromise(at: number): boolean {
    for (let above = at - 1; above >= 0; above--) {
      const around = this.#ancestors[above] as AnyNode;
      if (around.type === 'TryStatement') return false;
      if (isFunction(around)) return around.async;
    }
    return true;
  }

  #bindAssigned(target: AnyNode): void {
    if (target.type !== 'VariableDeclaration') this.#bind(target);
  }

  #bind(pattern: AnyNode): void {
    const names = new Set<string>();
    bindingNames(pattern, names);
    for (const name of names) this.#bindings.set(name, (this.#bindings.get(name) ?? 0) + 1);
  }
}

function keyName(key: AnyNode): string | undefined {
  if (key.type === 'Identifier') return key.name;
  return key.type === 'Literal' ? String(key.value) : undefined;
}

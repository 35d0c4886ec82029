import { prefix } from './helper.ts';
import { isFunction, type AnyNode } from './syntax.ts';

/** A class that is being written. */
interface ClassScope {
  /** The name by which helpers know the class. */
  id: string;
  /** The prefix of its private members' names, so that two classes never share one. */
  name: string;
  privateNames: Set<string>;
  /** The depth of the nodes in its constructor; set only while the constructor is being written. */
  constructorDepth: number | undefined;
}

/** The classes around what is being written, the innermost last. */
export class ClassScopes {
  readonly #ancestors: readonly AnyNode[];
  readonly #open: ClassScope[] = [];
  #count = 0;

  /** @param ancestors the nodes around the one that is being written, at any time */
  constructor(ancestors: readonly AnyNode[]) {
    this.#ancestors = ancestors;
  }

  /** Enters a class, and returns its id. */
  enter(node: AnyNode, name: string): string {
    const id = `${prefix}c${++this.#count}`;
    const privateNames = new Set<string>();
    if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') {
      for (const member of node.body.body) {
        if (member.type !== 'StaticBlock' && member.key.type === 'PrivateIdentifier') privateNames.add(member.key.name);
      }
    }
    // A name may not begin with the number.
    const own = `${name === '' ? 'anonymous' : name}${this.#count}`;
    this.#open.push({ id, name: own, privateNames, constructorDepth: undefined });
    return id;
  }

  leave(): void {
    this.#open.pop();
  }

  /** The id of the innermost class. */
  get id(): string {
    return this.#open.at(-1)?.id ?? 'undefined';
  }

  /** The name under which a private member is kept. */
  privateName(node: AnyNode): string {
    const name = node.type === 'PrivateIdentifier' ? node.name : '';
    const owner = this.#open.findLast(({ privateNames }) => privateNames.has(name));
    return `${owner?.name ?? ''}_${name}`;
  }

  /** Writes a constructor: what is in it, but not in functions with a `this` of their own. */
  inConstructor(write: () => void): void {
    const current = this.#open.at(-1);
    if (current === undefined) return;
    current.constructorDepth = this.#ancestors.length;
    write();
    current.constructorDepth = undefined;
  }

  get isInConstructor(): boolean {
    return this.#functionsInConstructor()?.every(({ type }) => type === 'ArrowFunctionExpression') ?? false;
  }

  /** Whether the present node is in the constructor itself, and not in a function inside it. */
  get isDirectlyInConstructor(): boolean {
    return this.#functionsInConstructor()?.length === 0;
  }

  #functionsInConstructor(): AnyNode[] | undefined {
    const depth = this.#open.at(-1)?.constructorDepth;
    return depth === undefined ? undefined : this.#ancestors.slice(depth + 1).filter(isFunction);
  }
}

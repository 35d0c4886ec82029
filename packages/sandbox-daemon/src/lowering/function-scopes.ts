import type { Program } from 'acorn';
import { prefix } from './helper.ts';
import type { Output } from './output.ts';
import type { AnyNode, FunctionNode } from './syntax.ts';

/** A function around what is being written, or the script. */
interface FunctionScope {
  node: FunctionNode | Program;
  /** Names of the temporary variables that it has to declare. */
  temporaries: string[];
  /** Declarations that its parameters leave to the start of its body. */
  prologue: (string | AnyNode)[];
}

/** The functions around what is being written, and the variables that lowering gives them. */
export class FunctionScopes {
  readonly #output: Output;
  readonly #open: FunctionScope[] = [];
  #count = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  get innermost(): FunctionScope {
    return this.#open.at(-1) as FunctionScope;
  }

  /** A name that nothing else has. */
  name(): string {
    return `${prefix}t${++this.#count}`;
  }

  /** A variable of the function that is being written. */
  temporary(): string {
    const name = this.name();
    this.#open.at(-1)?.temporaries.push(name);
    return name;
  }

  /** Declares a variable of the script where the function that is being written begins. */
  declare(name: string): void {
    const { temporaries } = this.innermost;
    if (!temporaries.includes(name)) temporaries.push(name);
  }

  /** @param write calls `declare` where the declaration of the temporary variables is to stand */
  within(node: FunctionNode | Program, write: (declare: () => void) => void): void {
    const scope: FunctionScope = { node, temporaries: [], prologue: [] };
    this.#open.push(scope);
    let fill: ((text: string) => void) | undefined;
    write(() => {
      fill = this.#output.reserve({ start: node.start, end: node.start });
    });
    this.#open.pop();
    if (scope.temporaries.length > 0) fill?.(declarationOf(scope.temporaries));
  }

  /** The declaration of the temporary variables that `write` asked for. They are of no function that is open. */
  apart(write: () => void): string {
    const { node, prologue } = this.innermost;
    const scope: FunctionScope = { node, temporaries: [], prologue };
    this.#open.push(scope);
    write();
    this.#open.pop();
    return declarationOf(scope.temporaries);
  }

  /** The prologue of the innermost function, which is written once. */
  takePrologue(): (string | AnyNode)[] {
    return this.innermost.prologue.splice(0);
  }

  /** The declaration of the temporary variables so far; none of them is declared again. */
  takeDeclaration(): string {
    return declarationOf(this.innermost.temporaries.splice(0));
  }
}

function declarationOf(names: readonly string[]): string {
  return names.length === 0 ? '' : `let ${names.join(', ')};`;
}

import type { Program } from 'acorn';
import { ClassScopes } from './class-scopes.ts';
import type { Facts } from './facts.ts';
import { FunctionScopes } from './function-scopes.ts';
import { FunctionWriter } from './function-writer.ts';
import { prefix } from './helper.ts';
import { Output } from './output.ts';
import type { Rule } from './rule.ts';
import { childrenOf, isFunction, type AnyNode, type FunctionNode } from './syntax.ts';

/** A difference from JavaScript that this script may meet; `id` stands in the table of docs/language.md. */
export interface Warning {
  id: string;
  message: string;
  line?: number;
}

/** Something of the language that cannot be run. */
export class Refusal extends Error {
  readonly node: AnyNode;

  constructor(message: string, node: AnyNode) {
    super(message);
    this.node = node;
  }
}

/** Writes the program, node by node: by the first rule that takes a node, or else as it stands in the script. */
export class Rewriter {
  readonly source: string;
  readonly facts: Facts;
  readonly helpers = new Set<string>();
  readonly warnings = new Map<string, Warning>();
  readonly output: Output;
  readonly functions: FunctionWriter;
  /** The classes around the node that is being written. */
  readonly classes: ClassScopes;
  /** Some rule has changed something. */
  isChanged = false;
  /** The rule that was asked last. */
  rule = '';
  readonly #rules: ReadonlyMap<string, readonly Rule[]>;
  readonly #scopes: FunctionScopes;
  readonly #ancestors: AnyNode[] = [];
  readonly #returns = new Set<AnyNode>();
  readonly #inside = new Set<AnyNode>();
  readonly #substitutes = new Map<AnyNode, string>();
  readonly #prologues = new Map<AnyNode, (string | AnyNode)[]>();

  constructor(source: string, facts: Facts, rules: ReadonlyMap<string, readonly Rule[]>) {
    this.source = source;
    this.facts = facts;
    this.#rules = rules;
    this.output = new Output(source);
    this.#scopes = new FunctionScopes(this.output);
    this.functions = new FunctionWriter(this, this.#scopes);
    this.classes = new ClassScopes(this.#ancestors);
  }

  /** The nodes around the one that is being written, the innermost last. */
  get ancestors(): readonly AnyNode[] {
    return this.#ancestors;
  }

  /** Writes `node` as the program needs it. */
  emit(node: AnyNode): void {
    const substitute = this.#substitutes.get(node);
    if (substitute !== undefined) return this.output.write(substitute, node);
    const prologue = this.#prologues.get(node);
    if (prologue !== undefined) {
      this.#prologues.delete(node);
      return this.write(node, '{ ', ...prologue, node, ' }');
    }
    for (const rule of this.#rules.get(node.type) ?? []) {
      this.rule = rule.id;
      if (rule.rewrite(node, this)) {
        this.isChanged = true;
        return;
      }
    }
    this.copy(node);
  }

  /** Writes `node` as it stands, but for what rules change below it. */
  copy(node: AnyNode): void {
    this.under(node, () => {
      if (isFunction(node)) this.functions.copy(node);
      else if (node.type === 'AssignmentPattern') this.functions.copyDefault(node);
      else if (node.type === 'Program') this.program(node, () => this.copyChildren(node));
      else this.copyChildren(node);
    });
  }

  /** Writes what stands below `node`. */
  under(node: AnyNode, write: () => void): void {
    this.#ancestors.push(node);
    write();
    this.#ancestors.pop();
  }

  /** Writes text and nodes; the text stands for `node`. */
  write(node: AnyNode, ...parts: (string | AnyNode)[]): void {
    this.under(node, () => {
      for (const part of parts) {
        if (typeof part === 'string') this.output.write(part, node);
        else this.emit(part);
      }
    });
  }

  /** Has a helper added to the program, and gives its name there. */
  helper(name: string): string {
    this.helpers.add(name);
    return prefix + name;
  }

  /** From now on `text` stands for `node`: it was evaluated before. */
  substitute(node: AnyNode, text: string): void {
    this.#substitutes.set(node, text);
  }

  /** Has declarations written before a statement, in a block with it. */
  putBefore(statement: AnyNode, parts: (string | AnyNode)[]): void {
    this.#prologues.set(statement, parts);
  }

  /** Has declarations written at the start of the function whose parameters are being written. */
  putIntoBody(parts: (string | AnyNode)[]): void {
    this.#scopes.innermost.prologue.push(...parts);
  }

  /** This `return` leaves a loop whose body has become a function. */
  markReturn(node: AnyNode): void {
    this.#returns.add(node);
  }

  isMarkedReturn(node: AnyNode): boolean {
    return this.#returns.has(node);
  }

  /** A variable of the function that is being written. */
  temporary(): string {
    return this.#scopes.temporary();
  }

  /** A name that nothing else has. */
  name(): string {
    return this.#scopes.name();
  }

  /** The function that is being written, or the script. */
  get scope(): FunctionNode | Program {
    return this.#scopes.innermost.node;
  }

  /** Declares a variable of the script where the function that is being written begins. */
  declare(name: string): void {
    this.#scopes.declare(name);
  }

  /** Whether a rule is writing `node` and has `emit` called for it again. */
  isInside(node: AnyNode): boolean {
    return this.#inside.has(node);
  }

  inside(node: AnyNode, write: () => void): void {
    this.#inside.add(node);
    write();
    this.#inside.delete(node);
  }

  /** Writes a program's body by `body`, after the declaration of its temporary variables. */
  program(node: Program, body: () => void): void {
    this.#scopes.within(node, (declare) => {
      declare();
      body();
    });
  }

  warn(id: string, message: string, node: AnyNode): void {
    if (this.warnings.has(id)) return;
    this.warnings.set(id, { id, message, line: this.source.slice(0, node.start).split('\n').length });
  }

  /** Writes what is below `node`, and the text between, from an offset on. */
  copyChildren(node: AnyNode, from = node.start): void {
    let at = from;
    for (const child of childrenOf(node)) {
      this.output.copy(at, child.start);
      this.emit(child);
      at = child.end;
    }
    this.output.copy(at, node.end);
    if (endsStatement.has(node.type) && this.source[node.end - 1] !== ';' && !this.#isInLoopHead()) {
      this.output.write(';', { start: node.end, end: node.end });
    }
  }

  #isInLoopHead(): boolean {
    const node = this.#ancestors.at(-1);
    const parent = this.#ancestors.at(-2);
    return (
      node?.type === 'VariableDeclaration' &&
      ((parent?.type === 'ForStatement' && parent.init === node) ||
        ((parent?.type === 'ForInStatement' || parent?.type === 'ForOfStatement') && parent.left === node))
    );
  }
}

/** Statements that a script may end without a semicolon, because the next line cannot go on with it. That line may change. */
const endsStatement = new Set([
  'ExpressionStatement',
  'VariableDeclaration',
  'ReturnStatement',
  'ThrowStatement',
  'BreakStatement',
  'ContinueStatement',
  'DoWhileStatement',
]);

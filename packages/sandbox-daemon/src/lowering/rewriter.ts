import type { Program } from 'acorn';
import type { Facts } from './facts.ts';
import { prefix } from './helper.ts';
import { Output } from './output.ts';
import type { Rule } from './rule.ts';
import { childrenOf, isFunction, isShorthand, type AnyNode, type FunctionNode } from './syntax.ts';

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

/** A function around what is being written, or the script. */
interface Scope {
  node: FunctionNode | Program;
  /** Names of the temporary variables that it has to declare. */
  temporaries: string[];
  /** Declarations that its parameters leave to the start of its body. */
  prologue: (string | AnyNode)[];
}

/** Writes the program, node by node: by the first rule that takes a node, or else as it stands in the script. */
export class Rewriter {
  readonly source: string;
  readonly facts: Facts;
  readonly helpers = new Set<string>();
  readonly warnings = new Map<string, Warning>();
  readonly output: Output;
  /** Some rule has changed something. */
  isChanged = false;
  /** The rule that was asked last. */
  rule = '';
  readonly #rules: ReadonlyMap<string, readonly Rule[]>;
  readonly #scopes: Scope[] = [];
  readonly #ancestors: AnyNode[] = [];
  readonly #returns = new Set<AnyNode>();
  readonly #inside = new Set<AnyNode>();
  readonly #substitutes = new Map<AnyNode, string>();
  readonly #prologues = new Map<AnyNode, (string | AnyNode)[]>();
  #temporaries = 0;
  #classCount = 0;
  readonly #classes: { id: string; name: string; names: Set<string>; constructorAt: number | undefined }[] = [];

  constructor(source: string, facts: Facts, rules: ReadonlyMap<string, readonly Rule[]>) {
    this.source = source;
    this.facts = facts;
    this.#rules = rules;
    this.output = new Output(source);
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
    this.#ancestors.push(node);
    if (isFunction(node)) this.#copyFunction(node);
    else if (node.type === 'Program') this.program(node, () => this.#copyChildren(node));
    else if (isShorthand(node)) this.#copyShorthand(node);
    else this.#copyChildren(node);
    this.#ancestors.pop();
  }

  /** Writes text and nodes; the text stands for `node`. */
  write(node: AnyNode, ...parts: (string | AnyNode)[]): void {
    this.#ancestors.push(node);
    for (const part of parts) {
      if (typeof part === 'string') this.output.write(part, node);
      else this.emit(part);
    }
    this.#ancestors.pop();
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
    (this.#scopes.at(-1) as Scope).prologue.push(...parts);
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
    const name = this.name();
    this.#scopes.at(-1)?.temporaries.push(name);
    return name;
  }

  /** A name that nothing else has. */
  name(): string {
    return `${prefix}t${++this.#temporaries}`;
  }

  /** The function that is being written, or the script. */
  get scope(): FunctionNode | Program {
    return (this.#scopes.at(-1) as Scope).node;
  }

  /** Declares a variable of the script where the function that is being written begins. */
  declare(name: string): void {
    const { temporaries } = this.#scopes.at(-1) as Scope;
    if (!temporaries.includes(name)) temporaries.push(name);
  }

  /** Begins a class; the names of its private members are its own. */
  enterClass(node: AnyNode, name: string): string {
    const id = `${prefix}c${++this.#classCount}`;
    const names = new Set<string>();
    if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') {
      for (const member of node.body.body) {
        if (member.type !== 'StaticBlock' && member.key.type === 'PrivateIdentifier') names.add(member.key.name);
      }
    }
    this.#classes.push({ id, name: `${name}${this.#classCount}`, names, constructorAt: undefined });
    return id;
  }

  leaveClass(): void {
    this.#classes.pop();
  }

  /** What the class that is being written is known as to helpers. */
  get classId(): string {
    return this.#classes.at(-1)?.id ?? 'undefined';
  }

  /** The name under which a private member is kept. */
  privateName(node: AnyNode): string {
    const name = node.type === 'PrivateIdentifier' ? node.name : '';
    const owner = this.#classes.findLast(({ names }) => names.has(name));
    return `${owner?.name ?? ''}_${name}`;
  }

  /** Writes a constructor: what is in it, but not in functions with a `this` of their own. */
  inConstructor(write: () => void): void {
    const current = this.#classes.at(-1);
    if (current === undefined) return;
    current.constructorAt = this.#ancestors.length;
    write();
    current.constructorAt = undefined;
  }

  get isInConstructor(): boolean {
    const at = this.#classes.at(-1)?.constructorAt;
    if (at === undefined) return false;
    return !this.#ancestors.slice(at + 1).some((node) => isFunction(node) && node.type !== 'ArrowFunctionExpression');
  }

  /** How many functions stand between the constructor and what is being written. */
  get functionDepthInConstructor(): number {
    const at = this.#classes.at(-1)?.constructorAt ?? 0;
    return this.#ancestors.slice(at + 1).filter(isFunction).length;
  }

  /** Writes the parameters and the body of a constructor. */
  functionBody(node: FunctionNode, parts: { head(): void; start(): void }): void {
    const { body } = node;
    this.#ancestors.push(node);
    this.#inScope(node, (declare) => {
      parts.head();
      declare();
      parts.start();
      this.#writePrologue();
      this.#statements(body);
      this.output.write(' return __ms_this; }', { start: body.end - 1, end: body.end });
    });
    this.#ancestors.pop();
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

  /** Writes a function with a block, with other parameters, and with something at the start of its body. */
  functionWith(
    node: FunctionNode,
    parts: { from: number; head(): void; to: number; start(): void; end?(): void },
  ): void {
    const { body } = node;
    this.#ancestors.push(node);
    this.#inScope(node, (declare) => {
      this.output.copy(node.start, parts.from);
      parts.head();
      this.output.copy(parts.to, body.start + 1);
      // What a generator declares is declared anew each time that it is run.
      if (parts.end === undefined) declare();
      else this.#writePrologue();
      parts.start();
      if (parts.end !== undefined) declare();
      this.#writePrologue();
      this.#statements(body);
      parts.end?.();
      this.output.copy(body.end - 1, node.end);
    });
    this.#ancestors.pop();
  }

  /** Writes what stands between the braces of a function. */
  #statements(body: FunctionNode['body']): void {
    this.#ancestors.push(body);
    let at = body.start + 1;
    for (const child of childrenOf(body)) {
      this.output.copy(at, child.start);
      this.emit(child);
      at = child.end;
    }
    this.output.copy(at, body.end - 1);
    this.#ancestors.pop();
  }

  /** Writes a program's body by `body`, after the declaration of its temporary variables. */
  program(node: Program, body: () => void): void {
    this.#inScope(node, (declare) => {
      declare();
      body();
    });
  }

  warn(id: string, message: string, node: AnyNode): void {
    if (this.warnings.has(id)) return;
    this.warnings.set(id, { id, message, line: this.source.slice(0, node.start).split('\n').length });
  }

  #inScope(node: FunctionNode | Program, write: (declare: () => void) => void): void {
    const scope: Scope = { node, temporaries: [], prologue: [] };
    this.#scopes.push(scope);
    let fill: ((text: string) => void) | undefined;
    write(() => {
      fill = this.output.reserve({ start: node.start, end: node.start });
    });
    this.#scopes.pop();
    if (scope.temporaries.length > 0) fill?.(`let ${scope.temporaries.join(', ')};`);
  }

  #writePrologue(): void {
    const scope = this.#scopes.at(-1) as Scope;
    const parts = scope.prologue;
    scope.prologue = [];
    if (parts.length > 0) this.write(scope.node, ...parts);
  }

  #copyFunction(node: FunctionNode): void {
    const { body } = node;
    this.#inScope(node, (declare) => {
      let at = node.start;
      for (const child of childrenOf(node)) {
        if (child === body) break;
        this.output.copy(at, child.start);
        this.emit(child);
        at = child.end;
      }
      if (body.type === 'BlockStatement') {
        this.output.copy(at, body.start + 1);
        declare();
        this.#writePrologue();
        this.#copyChildren(body, body.start + 1);
      } else {
        this.output.copy(at, body.start);
        this.#copyExpressionBody(node, body);
      }
      this.output.copy(body.end, node.end);
    });
  }

  /** A body that needs variables becomes a block. Whether it does is known after it is written. */
  #copyExpressionBody(node: FunctionNode, body: AnyNode): void {
    const open = this.output.reserve({ start: body.start, end: body.start });
    const scope = this.#scopes.at(-1) as Scope;
    const hasPrologue = scope.prologue.length > 0;
    this.#writePrologue();
    if (hasPrologue) this.output.write('return ', { start: body.start, end: body.start });
    this.emit(body);
    if (scope.temporaries.length === 0 && !hasPrologue) return;
    const declared = scope.temporaries.length === 0 ? '' : `let ${scope.temporaries.join(', ')};`;
    open(hasPrologue ? `{${declared}` : `{${declared}return `);
    this.output.write(';}', { start: body.end, end: node.end });
    scope.temporaries.length = 0;
  }

  /** `{ a }` has to become `{ a: b }` when the variable is written as something else. */
  #copyShorthand(node: AnyNode & { type: 'Property'; value: AnyNode }): void {
    this.#copyChildren(node);
  }

  #copyChildren(node: AnyNode, from = node.start): void {
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

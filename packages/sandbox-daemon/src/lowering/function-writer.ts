import type { AssignmentPattern } from 'acorn';
import type { FunctionScopes } from './function-scopes.ts';
import type { Rewriter } from './rewriter.ts';
import { childrenOf, isFunction, type AnyNode, type FunctionNode } from './syntax.ts';

/** What a function gets beside what it has. `end` stands at the end of its body. */
interface FunctionParts {
  /** What is before this offset stays. */
  from: number;
  head: () => void;
  /** What is behind this offset stays, up to the body. */
  to: number;
  start?: () => void;
  end?: () => void;
  /** Writes the statements in another way. */
  body?: () => void;
}

/** Writes functions, each with the variables that lowering needs in it. */
export class FunctionWriter {
  readonly #rewriter: Rewriter;
  readonly #scopes: FunctionScopes;

  constructor(rewriter: Rewriter, scopes: FunctionScopes) {
    this.#rewriter = rewriter;
    this.#scopes = scopes;
  }

  /** Writes a function as it stands, but for what rules change below it. */
  copy(node: FunctionNode): void {
    const { output } = this.#rewriter;
    const { body } = node;
    this.#scopes.within(node, (declare) => {
      let at = node.start;
      for (const child of childrenOf(node)) {
        if (child === body) break;
        output.copy(at, child.start);
        this.#rewriter.emit(child);
        at = child.end;
      }
      if (body.type === 'BlockStatement') {
        output.copy(at, body.start + 1);
        declare();
        this.#writePrologue();
        this.#rewriter.copyChildren(body, body.start + 1);
      } else {
        output.copy(at, body.start);
        this.#copyExpressionBody(node, body);
      }
      output.copy(body.end, node.end);
    });
  }

  /** Writes a function with a block, with other parameters, and with something at the start of its body. */
  copyWith(node: FunctionNode, { from, head, to, start, end, body: writeBody }: FunctionParts): void {
    const { output } = this.#rewriter;
    const { body } = node;
    this.#enter(node, (declare) => {
      output.copy(node.start, from);
      head();
      output.copy(to, body.start + 1);
      // What a generator declares is declared anew each time that it is run.
      if (end === undefined) declare();
      else this.#writePrologue();
      start?.();
      if (end !== undefined) declare();
      this.#writePrologue();
      if (writeBody !== undefined) this.#rewriter.under(body, writeBody);
      else this.#writeStatements(body);
      end?.();
      output.copy(body.end - 1, node.end);
    });
  }

  /** Writes the parameters and the body of a constructor, which gives what it makes. */
  writeConstructor(node: FunctionNode, { head, start }: Required<Pick<FunctionParts, 'head' | 'start'>>): void {
    const { body } = node;
    this.#enter(node, (declare) => {
      head();
      declare();
      start();
      this.#writePrologue();
      this.#writeStatements(body);
      this.#rewriter.output.write(' return __ms_this; }', { start: body.end - 1, end: body.end });
    });
  }

  /** Writes a target with a default. That of a parameter has no body where its variables could be declared. */
  copyDefault(node: AssignmentPattern): void {
    const { output } = this.#rewriter;
    const { left, right } = node;
    const of = this.#scopes.innermost.node;
    if (of.type === 'Program' || node.start > of.body.start) return this.#rewriter.copyChildren(node);
    this.#rewriter.emit(left);
    output.copy(left.end, right.start);
    const open = output.reserve({ start: right.start, end: right.start });
    const declaration = this.#scopes.apart(() => this.#rewriter.emit(right));
    if (declaration === '' && !assignsByNeed(right)) return;
    open(`(() => {${declaration}return `);
    output.write(';})()', { start: right.end, end: node.end });
  }

  #enter(node: FunctionNode, write: (declare: () => void) => void): void {
    this.#rewriter.under(node, () => this.#scopes.within(node, write));
  }

  /** Writes what stands between the braces of a function. */
  #writeStatements(body: FunctionNode['body']): void {
    const { output } = this.#rewriter;
    this.#rewriter.under(body, () => {
      let at = body.start + 1;
      for (const child of childrenOf(body)) {
        output.copy(at, child.start);
        this.#rewriter.emit(child);
        at = child.end;
      }
      output.copy(at, body.end - 1);
    });
  }

  #writePrologue(): void {
    const parts = this.#scopes.takePrologue();
    if (parts.length > 0) this.#rewriter.write(this.#scopes.innermost.node, ...parts);
  }

  /** A body that needs variables becomes a block. Whether it does is known after it is written. */
  #copyExpressionBody(node: FunctionNode, body: AnyNode): void {
    const { output } = this.#rewriter;
    const start = { start: body.start, end: body.start };
    const open = output.reserve(start);
    const hasPrologue = this.#scopes.innermost.prologue.length > 0;
    this.#writePrologue();
    if (hasPrologue) output.write('return ', start);
    this.#rewriter.emit(body);
    const declaration = this.#scopes.takeDeclaration();
    if (declaration === '' && !hasPrologue) return;
    open(hasPrologue ? `{${declaration}` : `{${declaration}return `);
    output.write(';}', { start: body.end, end: node.end });
  }
}

/** Whether there is `o.a ??= b`, for which the engine has no place in a parameter. */
function assignsByNeed(node: AnyNode): boolean {
  if (isFunction(node)) return false;
  return (
    (node.type === 'AssignmentExpression' && /^(?:&&|\|\||\?\?)=$/.test(node.operator)) ||
    childrenOf(node).some(assignsByNeed)
  );
}

import { explained } from '../archives/open-archive.ts';
import type { Zip } from '../archives/zip.ts';
import { spendInAll } from '../budget.ts';
import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';

/** The parts of a workbook. Unpacked bytes count to what the run may read, piece by piece. */
export class Parts {
  readonly #zip: Zip;
  readonly #context: BuiltinContext;
  readonly #call: BuiltinCall;

  constructor(zip: Zip, context: BuiltinContext, call: BuiltinCall) {
    this.#zip = zip;
    this.#context = context;
    this.#call = call;
  }

  has(name: string): boolean {
    return this.#zip.members.has(name);
  }

  /** The content of one part, in pieces. Each piece overwrites the one before. */
  *read(name: string): Generator<Buffer, void> {
    const part = this.#zip.members.get(name);
    const problem = part === undefined ? 'missing' : part.refusal;
    if (part === undefined || problem !== undefined) {
      const why = `${this.#call.shown} cannot be read: its part ${name} is ${problem}.`;
      throw this.#call.failed('NotReadableError', why);
    }
    const pieces = this.#zip.read(part);
    for (;;) {
      const next = explained(this.#call, () => pieces.next());
      if (next.done === true) return;
      spendInAll(this.#context.budget, next.value.length, this.#call);
      this.#context.pace.check();
      yield next.value;
    }
  }
}

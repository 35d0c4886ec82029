import { spendInAll } from '../budget.ts';
import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import type { Archive, Member } from './archive.ts';
import type { Bytes } from './bytes.ts';
import { explained } from './open-archive.ts';

/**
 * The bytes of a file in an archive, which is unpacked as far as it is read. Reading forwards is cheap; reading backwards
 * unpacks the file again. Skipped bytes count to what the run may read. Returned bytes are counted by the caller.
 */
export class MemberBytes implements Bytes, Disposable {
  readonly size: number;
  readonly #archive: Archive;
  readonly #member: Member;
  readonly #context: BuiltinContext;
  readonly #call: BuiltinCall;
  #pieces: Generator<Buffer, void> | undefined;
  #rest: Buffer = Buffer.alloc(0);
  #position = 0;

  constructor(archive: Archive, member: Member, context: BuiltinContext, call: BuiltinCall) {
    this.size = member.size;
    this.#archive = archive;
    this.#member = member;
    this.#context = context;
    this.#call = call;
  }

  read(buffer: Buffer, position: number): number {
    if (position < this.#position) this.#restart();
    while (this.#position < position) {
      const passed = this.#some(position - this.#position);
      if (passed === undefined) return 0;
      spendInAll(this.#context.budget, passed.length, this.#call);
    }
    let filled = 0;
    while (filled < buffer.length) {
      const some = this.#some(buffer.length - filled);
      if (some === undefined) break;
      filled += some.copy(buffer, filled);
    }
    // The checksum is compared only after the end.
    if (this.#position === this.size) this.#some(1);
    return filled;
  }

  [Symbol.dispose](): void {
    this.#restart();
  }

  #some(most: number): Buffer | undefined {
    while (this.#rest.length === 0) {
      this.#context.pace.check();
      this.#pieces ??= this.#archive.read(this.#member);
      const { value } = explained(this.#call, () => (this.#pieces as Generator<Buffer, void>).next());
      if (value === undefined) return undefined;
      this.#rest = value;
    }
    const some = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(some.length);
    this.#position += some.length;
    return some;
  }

  #restart(): void {
    this.#pieces?.return();
    this.#pieces = undefined;
    this.#rest = Buffer.alloc(0);
    this.#position = 0;
  }
}

import { Buffer } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import { SandboxError, type SandboxValue } from '@mustard-sandbox/protocol';
import { RawJson } from '@mustard-sandbox/protocol/sidecar';
import type { Answer, Calls, Completed, EngineRun, Frozen, Outcome } from './interface.ts';

/** The most bytes, roughly, of the answers that are kept. They are kept until the run is over. */
const keptBytes = 4 * 1024 * 1024;

interface Call {
  name: string;
  args: SandboxValue[];
  outcome: Outcome;
}

/**
 * A run whose failure another engine describes. MustardScript knows neither the property of a null access nor its line,
 * and QuickJS knows both. So a script that failed there is run again in QuickJS with the answers that its calls got,
 * and no call is made again. `chooseEngine` chooses MustardScript only for scripts that mean the same in both.
 */
export class RetoldRun implements EngineRun {
  readonly #run: EngineRun;
  readonly #again: () => Promise<EngineRun>;
  #record: CallRecord | undefined;

  /** @param again prepares the same script in the other engine */
  constructor(run: EngineRun, again: () => Promise<EngineRun>) {
    this.#run = run;
    this.#again = again;
  }

  get instructions(): number {
    return this.#run.instructions;
  }

  get cancelToken(): string | undefined {
    return this.#run.cancelToken;
  }

  get warnings(): EngineRun['warnings'] {
    return this.#run.warnings;
  }

  finish(calls: Calls): Completed {
    this.#record = new CallRecord(calls);
    return this.#run.finish(this.#record);
  }

  /** The failure of a segment is not described again, because the answers of earlier segments are not here. */
  advance(calls: Calls, answers: readonly Answer[]): Completed | undefined {
    return this.#run.advance(calls, answers);
  }

  freeze(): Frozen {
    return this.#run.freeze();
  }

  async told(error: SandboxError): Promise<SandboxError> {
    const replay = this.#record?.replay();
    // A result that cannot leave has no place in the script, and the same words in both engines.
    const isOfScript = error.code === 'script_error' && error.details.name !== 'ResultError';
    if (!isOfScript || replay === undefined) return error;
    try {
      using run = await this.#again();
      run.finish(replay);
    } catch (retold) {
      // If something else than the script ended it, such as the deadline, the first error stays.
      if (retold instanceof SandboxError && retold.code === 'script_error') return retold;
    }
    return error;
  }

  [Symbol.dispose](): void {
    this.#run[Symbol.dispose]();
  }
}

/** Passes calls on, and keeps them with their answers. */
class CallRecord implements Calls {
  readonly #calls: Calls;
  readonly #made: Call[] = [];
  #leftBytes = keptBytes;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Gives the same answers to the same calls; `undefined` when there were too many answers to keep. */
  replay(): Calls | undefined {
    return this.#leftBytes < 0 ? undefined : new Replay(this.#made, this.#calls);
  }

  call(name: string, args: SandboxValue[]): Outcome {
    const outcome = this.#calls.call(name, args);
    if (this.#leftBytes >= 0) this.#keep({ name, args, outcome });
    return outcome;
  }

  begin(...call: Parameters<Calls['begin']>): ReturnType<Calls['begin']> {
    this.#leftBytes = -1;
    return this.#calls.begin(...call);
  }

  next(): ReturnType<Calls['next']> {
    return this.#calls.next();
  }

  look(): void {
    this.#calls.look();
  }

  #keep(call: Call): void {
    this.#leftBytes -= bytesOf(call.outcome, this.#leftBytes) + bytesOf(call.args, this.#leftBytes);
    if (this.#leftBytes < 0) this.#made.length = 0;
    // The lines are copied, because the next ones may be read into the same memory.
    else if ('lines' in call.outcome) this.#made.push({ ...call, outcome: { lines: Buffer.from(call.outcome.lines) } });
    else this.#made.push(call);
  }
}

/** Answers calls as they were answered before. Any other call ends the run, because the script took another way. */
class Replay implements Calls {
  readonly #made: Call[];
  readonly #calls: Calls;
  readonly #begun: ReturnType<Calls['next']>[] = [];
  #answered = 0;

  constructor(made: Call[], calls: Calls) {
    this.#made = made;
    this.#calls = calls;
  }

  call(name: string, args: SandboxValue[]): Outcome {
    const made = this.#made[this.#answered++];
    if (made?.name === name && isDeepStrictEqual(made.args, args)) return made.outcome;
    throw new Error(`${name}() was not called before with these arguments.`);
  }

  begin(name: string, args: SandboxValue[]): { id: number } {
    const outcome = this.call(name, args);
    const id = this.#answered;
    this.#begun.push({ id, outcome });
    return { id };
  }

  next(): ReturnType<Calls['next']> {
    return this.#begun.shift() as ReturnType<Calls['next']>;
  }

  look(): void {
    this.#calls.look();
  }
}

/** Roughly how many bytes a value holds. It stops counting above `most`. */
function bytesOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  if (Buffer.isBuffer(value)) return value.length;
  if (value instanceof RawJson) return value.length;
  let bytes = 16;
  for (const [key, item] of Object.entries(value)) {
    if (bytes > most) break;
    bytes += key.length + bytesOf(item, most - bytes);
  }
  return bytes;
}

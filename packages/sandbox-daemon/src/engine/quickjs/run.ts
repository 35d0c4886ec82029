import { isUtf8 } from 'node:buffer';
import {
  compileFailure,
  decodeValue,
  encodeValue,
  limitAdvice,
  limitTable,
  maxValueDepth,
  SandboxError,
  type HostError,
  type Limits,
  type RunWarning,
  type SandboxValue,
  type WireValue,
} from '@mustard-sandbox/protocol';
import { assertFewItems, RawJson, shapeOf } from '@mustard-sandbox/protocol/sidecar';
import { startOfCall } from '../call-location.ts';
import type { Answer, CallLocation, Calls, Completed, EngineRun, Frozen, Outcome, Setup } from '../interface.ts';
import { forQuickJS, readTyped } from '../read/read.ts';
import type { Program } from '../read/program.ts';
import {
  floatingError,
  innermostLocation,
  isOfCompiler,
  scriptError,
  scriptName,
  syntaxError,
  type Thrown,
} from './errors.ts';
import { frozenOf, type KeptState } from './frozen.ts';
import { nativeFailure, runNative } from './natives.ts';
import { notesOf } from './notes.ts';
import type { Bridge, Instance, Stock } from './stock.ts';
import type { Given, Value } from './vm.ts';

/** QuickJS asks whether to go on after this many turns of loops and calls. These questions are counted. */
const turnsPerQuestion = 10_000;

const globalScript = 0;
const withAwait = 1 << 7;

/** One run of one program in an instance of its own, which is discarded afterwards. */
export class QuickJSRun implements EngineRun, Bridge {
  instructions = 0;
  readonly cancelToken = undefined;
  warnings: RunWarning[] = [];
  readonly #instance: Instance;
  #program: Program;
  readonly #stock: Stock;
  readonly #setup: Setup;
  #isTyped = false;
  #calls: Calls | undefined;
  /** The error that ends the run. No script can catch it. */
  #over: Error | undefined;
  #failure = '';
  /** The value of the script, or a promise of it; `undefined` before the script has begun. */
  #value: Value | undefined;
  /**
   * Whether that promise comes from an evaluation with `await`. It then gives an object that holds the value in a
   * field.
   */
  #isWrapped = false;
  /** How many calls of host functions have no answer yet. */
  #pending = 0;
  /** How many calls were begun since the run last waited. */
  #begun = 0;
  /** Rejected promises that nobody waits for. */
  readonly #unhandled = new Map<Value, string>();

  /** @param kept of a frozen run, whose memory is in the instance already */
  constructor(instance: Instance, stock: Stock, program: Program, setup: Setup, kept?: KeptState) {
    this.#instance = instance;
    this.#stock = stock;
    this.#program = program;
    this.#setup = setup;
    instance.bridge = this;
    instance.vm.memoryLimit = setup.limits.heapBytes;
    if (kept === undefined) return;
    this.instructions = kept.instructions;
    this.#isTyped = kept.isTyped;
    this.#value = kept.value;
    this.#isWrapped = kept.isWrapped;
    this.#pending = kept.pending;
    for (const [promise, reason] of kept.unhandled) this.#unhandled.set(promise, reason);
  }

  finish(calls: Calls): Completed {
    for (let answers: Answer[] = []; ; answers = [calls.next()]) {
      const completed = this.#goOn(calls, answers, false);
      if (completed !== undefined) return completed;
    }
  }

  advance(calls: Calls, answers: readonly Answer[]): Completed | undefined {
    return this.#goOn(calls, answers, true);
  }

  freeze(): Frozen {
    return frozenOf(this.#instance, this.#stock.base(), {
      instructions: this.instructions,
      value: this.#value as Value,
      isWrapped: this.#isWrapped,
      pending: this.#pending,
      unhandled: [...this.#unhandled],
      isTyped: this.#isTyped,
    });
  }

  [Symbol.dispose](): void {
    this.#instance.bridge = undefined;
    this.#instance.vm.library.dispose();
  }

  // The calls that the script makes.

  call(name: string, args: Buffer): Buffer | undefined {
    return this.#guarded(() => this.#answer((this.#calls as Calls).call(name, argumentsOf(args))));
  }

  begin(name: string, args: Buffer): number | undefined {
    return this.#guarded(() => {
      const begun = (this.#calls as Calls).begin(name, argumentsOf(args), () => this.#callLocation(name));
      if ('error' in begun) return this.#fail(begun.error);
      this.#pending++;
      this.#begun++;
      return begun.id;
    });
  }

  inV8(operation: string, args: string, text: string | undefined): string | undefined {
    return this.#guarded(() => {
      try {
        return runNative(operation, args, text);
      } catch (error) {
        this.#failure = nativeFailure(error);
        return undefined;
      }
    });
  }

  failure(): string {
    return this.#failure;
  }

  interrupt(): boolean {
    this.instructions += turnsPerQuestion;
    if (this.#over !== undefined) return true;
    try {
      const { instructions } = this.#setup.limits;
      if (this.instructions > instructions) throw limitExceeded('instructions', this.#setup.limits);
      this.#calls?.look();
      return false;
    } catch (error) {
      this.#over = error as Error;
      return true;
    }
  }

  rejected(promise: Value, reason: Value, isHandled: boolean): void {
    const { vm } = this.#instance;
    const key = vm.identityOf(promise);
    if (isHandled) this.#unhandled.delete(key);
    else this.#unhandled.set(key, this.#described(reason));
  }

  /** An error of the sidecar ends the run at the next question, so a script cannot catch it for good. */
  #guarded<T>(body: () => T): T | undefined {
    try {
      if (this.#over === undefined) return body();
    } catch (error) {
      this.#over = error as Error;
    }
    this.#failure = JSON.stringify({ name: 'Error', message: 'The run is over.' });
    return undefined;
  }

  #answer(outcome: Outcome): Buffer | undefined {
    if ('error' in outcome) return this.#fail(outcome.error);
    if ('text' in outcome) return outcome.text;
    if ('lines' in outcome) return outcome.lines;
    return jsonOf(outcome.value);
  }

  #fail({ name, message, code, details }: HostError): undefined {
    this.#failure = JSON.stringify({ name, message, code, details });
    return undefined;
  }

  // The steps of the engine.

  #setUp(): void {
    const { builtins, hostFunctions, inputs } = this.#setup;
    const { setUp, enterInputs } = this.#instance.entries;
    const { waits } = this.#program;
    const names = JSON.stringify({
      given: builtins,
      hostFunctions,
      waits,
      mayHoldSymbols: mayHoldSymbols(this.#program),
    });
    this.#callEntry(setUp, Buffer.from(names));
    if (inputs === undefined) return;
    const { texts, rest } = longTexts(inputs);
    for (const [name, text] of texts) this.#enterText(name, text);
    this.#callEntry(enterInputs, jsonOf(rest));
  }

  #evaluate(): Value {
    const given = this.#compiled();
    if (!('thrown' in given) || this.#over !== undefined) return this.#valueOf(given);
    const thrown = JSON.parse(this.#described(given.thrown)) as Thrown;
    if (!isOfCompiler(thrown)) throw new GuestError(given.thrown);
    // Text that is not JavaScript may be TypeScript.
    const typed = readTyped(this.#program.source);
    if ('diagnostics' in typed) throw compileFailure(typed.diagnostics);
    const program = forQuickJS(typed);
    if (program.code === this.#program.code) throw compileFailure([syntaxError(thrown, this.#program)]);
    this.#program = program;
    this.#isTyped = true;
    return this.#valueOf(this.#compiled());
  }

  #compiled(): Given {
    const { code, waits } = this.#program;
    return this.#instance.vm.evaluate(code, scriptName, waits ? withAwait : globalScript);
  }

  /**
   * @param handsOver whether the run waits for all calls that it has just made, including those that the script does
   * not await
   */
  #goOn(calls: Calls, answers: readonly Answer[], handsOver: boolean): Completed | undefined {
    this.#calls = calls;
    this.#begun = 0;
    try {
      if (this.#value === undefined) this.#begin();
      for (const answer of answers) this.#settle(answer);
      if (handsOver && this.#begun > 0) return undefined;
      const value = this.#settled();
      return value === undefined ? undefined : this.#leave(value);
    } catch (error) {
      throw this.#explained(error);
    }
  }

  #begin(): void {
    this.#setUp();
    this.#value = this.#evaluate();
    this.#isWrapped = this.#program.waits;
    this.#runJobs();
  }

  /** The value of the script; `undefined` while it waits for host functions. */
  #settled(): Value | undefined {
    const { vm } = this.#instance;
    let value = this.#value as Value;
    // The last statement may be a call of an async function that nobody awaited.
    for (; this.#isWrapped || vm.isPromise(value); this.#value = value) {
      const state = vm.stateOf(value);
      if (state === 'pending') {
        if (this.#pending > 0) return undefined;
        throw unsettled();
      }
      this.#unhandled.delete(vm.identityOf(value));
      const result = vm.resultOf(value);
      if (state === 'rejected') throw new GuestError(result);
      value = this.#isWrapped ? vm.fieldOf(result, 'value') : result;
      this.#isWrapped = false;
    }
    this.#runJobs();
    const [unhandled] = this.#unhandled.values();
    if (unhandled !== undefined) throw floatingError(JSON.parse(unhandled) as Thrown, this.#program);
    return value;
  }

  #settle({ id, outcome }: Answer): void {
    const { settle, settleFailure } = this.#instance.entries;
    this.#pending--;
    const failed = 'error' in outcome;
    const text = failed ? Buffer.from(JSON.stringify(outcome.error)) : (this.#answer(outcome) as Buffer);
    const { vm } = this.#instance;
    const [number, answer] = [vm.newNumber(id), vm.newText(text)];
    this.#valueOf(vm.call(failed ? settleFailure : settle, number, answer));
    vm.free(number);
    vm.free(answer);
    this.#runJobs();
  }

  /** The place of the call that is about to begin. */
  #callLocation(name: string): CallLocation | undefined {
    const { vm, entries } = this.#instance;
    const given = vm.call(entries.stack);
    if (!('value' in given)) return undefined;
    const location = innermostLocation(vm.textOf(given.value).toString(), this.#program);
    return location && startOfCall(this.#program.source, name, location);
  }

  #runJobs(): void {
    const { vm } = this.#instance;
    // Jobs that create each other never reach the question of the interrupt.
    for (let count = 1; ; count++) {
      const job = vm.runJob();
      if (job === undefined) return;
      if (job !== 'done') this.#valueOf(job);
      if (count % 1_000 === 0 && this.interrupt() && this.#over !== undefined) throw this.#over;
    }
  }

  #leave(value: Value): Completed {
    const { leave, leaveTagged, takeNotes } = this.#instance.entries;
    const { vm } = this.#instance;
    // QuickJS takes ten times as long to write a text as JSON. Half of a surrogate pair is not valid in UTF-8.
    const plain = vm.isText(value) ? vm.viewOf(vm.hold(value)) : undefined;
    if (plain !== undefined && isUtf8(plain)) {
      const json = RawJson.ofText(plain);
      return { value: { json }, size: json.length };
    }
    const text = vm.hold(this.#valueOf(vm.call(leave, value)));
    const isSpecial = vm.viewOf(text)[0] === dollar;
    const shape = shapeOf(vm.viewOf(text));
    // Only a value with one of these in its JSON may hold something that JSON cannot say: see prelude/values.js.
    const mayNeedTags = !isSpecial && (mayHoldSymbols(this.#program) || shape.hasNull || shape.hasTag);
    const again = mayNeedTags ? vm.hold(this.#valueOf(vm.call(leaveTagged, value))) : text;
    this.warnings = notesOf(JSON.parse(vm.textOf(this.#valueOf(vm.call(takeNotes))).toString()) as string[]);
    // Nothing runs in the instance after this, so a view of its memory stays unchanged until it is sent.
    const isTagged = isSpecial || (mayNeedTags && !vm.viewOf(again).equals(vm.viewOf(text)));
    const json = vm.viewOf(again).subarray(isSpecial ? 1 : 0);
    const { depth, items } = isTagged ? shapeOf(json) : shape;
    if (depth > maxValueDepth * (isTagged ? 3 : 1)) {
      throw resultError(`it nests deeper than ${maxValueDepth} levels. Flatten it.`);
    }
    assertFewItems(items, 'The result');
    return {
      value: isTagged ? { tagged: JSON.parse(json.toString()) as unknown } : { json: new RawJson(json) },
      size: json.length,
    };
  }

  /** A long text goes in unchanged, because writing it as JSON and reading that takes ten times as long. */
  #enterText(name: string, text: string): void {
    const { vm, entries } = this.#instance;
    const [key, value] = [vm.newText(Buffer.from(name)), vm.newText(Buffer.from(text))];
    vm.free(this.#valueOf(vm.call(entries.enterText, key, value)));
    vm.free(key);
    vm.free(value);
  }

  /** Calls a function of the prelude with one text. */
  #callEntry(entry: Value, text: Buffer): void {
    const { vm } = this.#instance;
    const argument = vm.newText(text);
    vm.free(this.#valueOf(vm.call(entry, argument)));
    vm.free(argument);
  }

  #valueOf(given: Given): Value {
    // QuickJS does not know where it was then, because it keeps the place of the last call.
    if (this.#over !== undefined) throw this.#over;
    if ('thrown' in given) throw new GuestError(given.thrown);
    return given.value;
  }

  #described(thrown: Value): string {
    const { vm, entries } = this.#instance;
    const given = vm.call(entries.describe, thrown);
    return 'value' in given ? vm.textOf(given.value).toString() : '{"message":"an error that cannot be read"}';
  }

  /** The error that ended the run, as the caller should see it. */
  #explained(error: unknown): unknown {
    if (this.#over !== undefined) return this.#over;
    if (error instanceof GuestError) {
      try {
        const thrown = JSON.parse(this.#described(error.value)) as Thrown;
        if (this.#over !== undefined) return this.#over;
        if (isOutOfMemory(thrown)) return limitExceeded('heapBytes', this.#setup.limits);
        return thrown.name === 'ResultError' ? resultError(`${thrown.message}.`) : scriptError(thrown, this.#program);
      } catch (nested) {
        error = nested;
      }
    }
    if (error instanceof SandboxError) return error;
    if (isOfInstance(error)) {
      const message = 'Maximum call stack size exceeded';
      if (/memory/.test(error.message)) return limitExceeded('heapBytes', this.#setup.limits);
      return scriptError({ name: 'RangeError', message }, this.#program);
    }
    return error;
  }
}

function unsettled(): SandboxError {
  return new SandboxError('script_error', 'The script awaits a promise that nothing will ever settle.', {
    details: { name: 'Error', construct: 'unsettled_promise' },
  });
}

/** An error that the script threw, as a pointer into its instance. */
class GuestError extends Error {
  readonly value: Value;

  constructor(value: Value) {
    super('thrown in the script');
    this.value = value;
  }
}

/** Whether V8's stack or memory ran out inside the instance, or the instance trapped. */
function isOfInstance(error: unknown): error is Error {
  return error instanceof RangeError || error instanceof WebAssembly.RuntimeError;
}

/** JSON leaves symbols out silently. */
function mayHoldSymbols({ source }: Program): boolean {
  return source.includes('Symbol');
}

/** The length in UTF-16 units from which a text counts as long. */
const longText = 4096;

/** Splits the inputs into long texts and the others. */
function longTexts(inputs: WireValue): { texts: [string, string][]; rest: WireValue } {
  if ('tagged' in inputs || inputs.json instanceof RawJson) return { texts: [], rest: inputs };
  const entries = Object.entries(inputs.json as Record<string, unknown>);
  const texts = entries.filter((entry): entry is [string, string] => isLong(entry[1]));
  if (texts.length === 0) return { texts, rest: inputs };
  return { texts, rest: { json: Object.fromEntries(entries.filter(([, value]) => !isLong(value))) } };
}

/** Half of a surrogate pair would be lost in UTF-8. */
function isLong(value: unknown): boolean {
  return typeof value === 'string' && value.length >= longText && (value as WellFormed).isWellFormed();
}

/** Every Node from 20 on has this function, but the types are of an older JavaScript. */
type WellFormed = string & { isWellFormed(): boolean };

const dollar = 0x24;

function argumentsOf(text: Buffer): SandboxValue[] {
  const isTagged = text[0] === dollar;
  const parsed = JSON.parse(text.toString('utf8', isTagged ? 1 : 0)) as unknown;
  return (isTagged ? decodeValue({ tagged: parsed }) : parsed) as SandboxValue[];
}

/** The JSON of a value in the form that prelude/values.js decodes. */
function jsonOf(value: WireValue): Buffer {
  if ('tagged' in value) return Buffer.from(`$${JSON.stringify(value.tagged)}`);
  if (value.json instanceof RawJson) return value.json.bytes;
  const text = JSON.stringify(value.json);
  // JSON of a peer may say infinity, as 1e999, which JSON.stringify cannot write.
  if (text.includes('null')) return jsonOfSpecial(value.json);
  return Buffer.from(text);
}

function jsonOfSpecial(json: unknown): Buffer {
  const value = encodeValue(json, 'a value');
  return Buffer.from('tagged' in value ? `$${JSON.stringify(value.tagged)}` : JSON.stringify(value.json));
}

function isOutOfMemory({ name, message }: Thrown): boolean {
  // QuickJS gives the second message in place of any message for which it had no memory.
  return name === 'InternalError' && (message === 'out of memory' || message === 'Invalid error message');
}

function resultError(why: string): SandboxError {
  return new SandboxError('script_error', `The result cannot leave the sandbox: ${why}`, {
    details: { name: 'ResultError' },
  });
}

function limitExceeded(option: 'heapBytes' | 'instructions', limits: Limits): SandboxError {
  const { name, unit } = limitTable[option];
  const value = limits[option];
  return new SandboxError(
    'limit_exceeded',
    `The script exceeded its limit of ${value} ${unit} (${name}). ${limitAdvice(option)}`,
    { details: { limit: name, value, unit } },
  );
}

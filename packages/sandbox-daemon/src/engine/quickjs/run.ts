import { compileFailure, type HostError, type RunWarning } from '@mustard-sandbox/protocol';
import { startOfCall } from '../call-location.ts';
import type { Answer, CallLocation, Calls, Completed, EngineRun, Frozen, Outcome, Setup } from '../interface.ts';
import type { Program } from '../read/program.ts';
import { forQuickJS, readTyped } from '../read/read.ts';
import { argumentsOf, jsonOf, leave, longTexts, mayHoldSymbols } from './crossing.ts';
import { floatingError, innermostLocation, isOfCompiler, scriptName, syntaxError, type Thrown } from './errors.ts';
import { explained, GuestError, limitExceeded, unsettled } from './failures.ts';
import { frozenOf, type KeptState } from './frozen.ts';
import { nativeFailure, runNative } from './natives.ts';
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
      if (value === undefined) return undefined;
      const { warnings, ...completed } = leave(value, this.#instance, this.#program, (given) => this.#valueOf(given));
      this.warnings = warnings;
      return completed;
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

  #explained(error: unknown): unknown {
    const describe = (thrown: Value): string => this.#described(thrown);
    const failure = this.#over ?? explained(error, describe, this.#program, this.#setup.limits);
    // Describing an error of the script runs code of it, which may end the run.
    return this.#over ?? failure;
  }
}

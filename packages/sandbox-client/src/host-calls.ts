import {
  decodeValue,
  defaultHostCallTimeoutMs,
  encodeFitting,
  functionPattern,
  maxValueBytes,
  SandboxError,
  within,
  type CancelSignal,
  type Params,
  type Result,
} from '@mustard-sandbox/protocol';
import { PausableTimer } from './deadline.ts';
import type { Below } from './nesting.ts';
import { describeThrown } from './thrown.ts';
import type { HostFunction } from './types.ts';

type HostCall = Pick<Params<'sandbox/callHostFunction'>, 'name' | 'args'>;
/** The answer of a host function, or the error that it threw, in the form for the sidecar. */
export type HostAnswer = Result<'sandbox/callHostFunction'>;

/** The host functions of one run. */
export class HostCalls {
  readonly names: string[];
  /** How many calls wait for the promise of their function. */
  outstanding = 0;
  #hostFunctions: Record<string, HostFunction>;
  readonly #below: Below | undefined;

  /**
   * @param below `undefined` when the nesting of runs need not be counted
   * @throws {SandboxError} `invalid_request` for a name that is not an identifier
   */
  constructor(hostFunctions: Record<string, HostFunction>, below: Below | undefined) {
    this.#hostFunctions = hostFunctions;
    this.#below = below;
    this.names = Object.keys(hostFunctions);
    for (const name of this.names) {
      if (!functionPattern.test(name)) {
        throw new SandboxError(
          'invalid_request',
          `hostFunctions: '${name}' is not an identifier of the script language, or two with a dot between them.`,
        );
      }
    }
  }

  /** Adds a function that serves a built-in. */
  add(name: string, hostFunction: HostFunction): void {
    this.#hostFunctions = { ...this.#hostFunctions, [name]: hostFunction };
    this.names.push(name);
  }

  /**
   * Calls one function for the script. An error in it is an answer too, because the script can catch it. The answer is
   * a promise only where the function gives one.
   *
   * @throws {SandboxError} `protocol_error` when the sidecar calls a function that this run did not offer
   */
  answer({ name, args }: HostCall, signal: CancelSignal): Promise<HostAnswer> | HostAnswer {
    const decoded = decodeValue(args);
    if (!this.names.includes(name) || !Array.isArray(decoded)) {
      throw new SandboxError(
        'protocol_error',
        `The sidecar called '${name}', which this run did not offer, or with arguments that are no list.`,
      );
    }
    const hostFunction = this.#hostFunctions[name] as HostFunction;
    const { handler, timeoutMs = defaultHostCallTimeoutMs } =
      typeof hostFunction === 'function' ? { handler: hostFunction } : hostFunction;
    try {
      const given = this.#call(() => handler(...decoded));
      if (!isThenable(given)) return answerOf(name, given);
      const timeout = { ms: timeoutMs, error: () => tooSlow(name, timeoutMs), start: startTimer };
      return this.#answerLater(name, () => within(given, { signal, timeout }));
    } catch (error) {
      return { error: describeThrown(error) };
    }
  }

  #call<T>(make: () => T): T {
    return this.#below === undefined ? make() : this.#below(make);
  }

  /**
   * Answers with one promise. An async function would make two.
   *
   * @param wait waits for the function's answer, which may begin its work only then
   */
  #answerLater(name: string, wait: () => Promise<unknown>): Promise<HostAnswer> {
    this.outstanding++;
    const end = (answer: HostAnswer): HostAnswer => {
      this.outstanding--;
      return answer;
    };
    return this.#call(wait).then(
      (value) => end(answerOf(name, value)),
      (error: unknown) => end({ error: describeThrown(error) }),
    );
  }
}

/** Starts a timer that does not run while the host is suspended. */
function startTimer(ms: number, callback: () => void): PausableTimer {
  return new PausableTimer(ms, callback);
}

/** The answer with a value, or an error if the value cannot cross or is too large. */
function answerOf(name: string, value: unknown): HostAnswer {
  try {
    return { value: encodeFitting(value, `the result of ${name}()`, (bytes) => tooLarge(name, bytes)) };
  } catch (error) {
    return { error: describeThrown(error) };
  }
}

/**
 * Whether a value is a promise. `then` is the only property that is read even if this runs code of the host. Libraries for
 * remote calls return proxies with a trap for `then`, and an async function would read it too.
 */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

function tooSlow(name: string, timeoutMs: number): SandboxError {
  return new SandboxError(
    'capability_timeout',
    `${name}() did not answer within ${timeoutMs} ms. Give it more with { handler, timeoutMs }.`,
  );
}

function tooLarge(name: string, bytes: number): SandboxError {
  return new SandboxError(
    'limit_exceeded',
    `The result of ${name}() is ${bytes} bytes of JSON, over the limit of ${maxValueBytes}. Return less.`,
  );
}

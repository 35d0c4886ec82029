import {
  decodeValue,
  defaultHostCallTimeoutMs,
  encodeFitting,
  encodeValue,
  identifierPattern,
  maxThrownDetails,
  maxValueBytes,
  messageOf,
  SandboxError,
  within,
  withoutPaths,
  type CancelSignal,
  type HostError,
  type Params,
  type Result,
} from '@mustard-sandbox/daemon/protocol';
import { PausableTimer } from './deadline.ts';
import type { Below } from './nesting.ts';
import type { HostFunction } from './types.ts';

type HostCall = Params<'sandbox/callHostFunction'>;
export type HostAnswer = Result<'sandbox/callHostFunction'>;

/** The host functions of one run. */
export class HostCalls {
  readonly names: string[];
  /** How many calls wait for the promise of their function. */
  outstanding = 0;
  readonly #hostFunctions: Record<string, HostFunction>;
  readonly #below: Below | undefined;

  /**
   * @param below `undefined`: nobody needs to know which runs the functions start
   * @throws {SandboxError} `invalid_request` for a name that is not an identifier
   */
  constructor(hostFunctions: Record<string, HostFunction>, below: Below | undefined) {
    this.#hostFunctions = hostFunctions;
    this.#below = below;
    this.names = Object.keys(hostFunctions);
    for (const name of this.names) {
      if (!identifierPattern.test(name)) {
        throw new SandboxError(
          'invalid_request',
          `hostFunctions: '${name}' is not an identifier of the script language.`,
        );
      }
    }
  }

  /**
   * Calls one function for the script. An error in it is an answer too, because the script can catch it. The answer is
   * a promise only where the function gives one.
   *
   * @throws {SandboxError} `protocol_error` when the sidecar asks for what this run did not offer
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
      const given = this.#call(name, () => handler(...decoded));
      if (!isThenable(given)) {
        this.#below?.answered(name);
        return answerOf(name, given);
      }
      const timeout = { ms: timeoutMs, error: () => tooSlow(name, timeoutMs), start: startTimer };
      return this.#answerLater(name, () => within(given, { signal, timeout }));
    } catch (error) {
      return { error: describe(error) };
    }
  }

  #call<T>(name: string, make: () => T): T {
    return this.#below === undefined ? make() : this.#below.call(name, make);
  }

  /**
   * One promise. An async function would make two.
   *
   * @param wait what the function gave may begin its work only when it is waited for
   */
  #answerLater(name: string, wait: () => Promise<unknown>): Promise<HostAnswer> {
    this.outstanding++;
    const over = this.#below?.promised(name);
    const end = (answer: HostAnswer): HostAnswer => {
      this.outstanding--;
      over?.();
      return answer;
    };
    return this.#call(name, wait).then(
      (value) => end(answerOf(name, value)),
      (error: unknown) => end({ error: describe(error) }),
    );
  }
}

/** Its time does not count while the host stands still. */
function startTimer(ms: number, callback: () => void): PausableTimer {
  return new PausableTimer(ms, callback);
}

/** An error for a value that cannot cross, or is too large. */
function answerOf(name: string, value: unknown): HostAnswer {
  try {
    return { value: encodeFitting(value, `the result of ${name}()`, (bytes) => tooLarge(name, bytes)) };
  } catch (error) {
    return { error: describe(error) };
  }
}

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

/**
 * The parts of an error that a script may see: no stack, no cause. The thrown value may throw again when it is read.
 */
function describe(error: unknown): HostError {
  const name = read(error, 'name');
  const code = read(error, 'code');
  // The author of a host function chose its messages. But a message of the system about a failed call names host paths.
  const isOfSystem = read(error, 'syscall') !== undefined;
  const message = isOfSystem ? withoutPaths(messageOf(error)) : messageOf(error);
  const details = isOfSystem ? undefined : asJson(read(error, 'details'));
  return {
    name: typeof name === 'string' && name !== 'SandboxError' ? name.slice(0, 256) : 'Error',
    message: message.slice(0, 16 * 1024),
    ...(typeof code === 'string' && { code: code.slice(0, 256) }),
    ...(details !== undefined && { details }),
  };
}

/** One field of a thrown value; `undefined` if reading it throws. */
function read(error: unknown, key: string): unknown {
  try {
    return typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[key] : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A copy of an object through JSON; `undefined` for any other value, and for one that JSON cannot write or that is too
 * long.
 */
function asJson(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  try {
    const text = JSON.stringify(value);
    if (text.length > maxThrownDetails || !text.startsWith('{')) return undefined;
    const details = JSON.parse(text) as Record<string, unknown>;
    // Throws for a value that nests too deep.
    encodeValue(details, 'details');
    return details;
  } catch {
    return undefined;
  }
}

import {
  decodeValue,
  limitTable,
  maxConsoleCharacters,
  maxConsoleLinesPerSecond,
  maxConsoleRunCharacters,
  maxProgressPerSecond,
  maxValueBytes,
  maxValueItems,
  quote,
  SandboxError,
  type CancelSignal,
  type MessageBounds,
  type Notice,
  type Params,
  type PendingCall,
  type RunSpent,
  type WireValue,
} from '@mustard-sandbox/protocol';
import { callSafely } from './events.ts';
import type { HostAnswer } from './host-calls.ts';
import type { RunRequest } from './run-request.ts';
import type { WaitingCall } from './types.ts';

/**
 * Only a script with one of these keywords gets promises of host functions. JavaScript does not allow escapes in a
 * keyword.
 */
const mayWait = /\b(?:async|await)\b/;

const cancelled = { name: 'Error', message: 'The run was cancelled.', code: 'cancelled' };

/** @throws {SandboxError} `protocol_error` when a sidecar names an attachment that `request` did not give it */
export function assertGiven(names: readonly string[], { params }: RunRequest): void {
  if (names.length === 0) return;
  const given = new Set(params.scope?.attachments?.map(({ name }) => name));
  const foreign = names.find((name) => !given.has(name));
  if (foreign === undefined) return;
  throw new SandboxError(
    'protocol_error',
    `The sidecar read the attachment ${quote(foreign)}, which the run does not have.`,
  );
}

/**
 * @throws {SandboxError} `protocol_error` for a function that the run did not offer, or arguments that are not a list
 */
export function decodedCall({ args, ...call }: PendingCall, { params }: RunRequest): WaitingCall {
  const decoded = decodeValue(args);
  if (Array.isArray(decoded) && params.hostFunctions?.includes(call.name)) return { ...call, args: decoded };
  throw new SandboxError(
    'protocol_error',
    `The sidecar called '${call.name}', which this run did not offer, or its arguments are not a list.`,
  );
}

/** Room in a message for everything except the value: names of attachments, a profile, a traceback. */
const besides = { bytes: 4 * 1024 * 1024, items: 20_000 };

/** The most that a message may hold when no run is under way: an answer to `initialize`, or diagnostics. */
export const boundsOutOfRun: MessageBounds = besides;

/**
 * @param heardBytes how much the sidecar has sent since the run began. A result within that needs no measuring
 * @throws {SandboxError} `protocol_error` for a result over the run's limit
 */
export function assertFits(value: WireValue, { params: { limits } }: RunRequest, heardBytes: number): void {
  const most = limits?.outputBytes ?? limitTable.outputBytes.default;
  if (heardBytes <= most || Buffer.byteLength(JSON.stringify(value)) <= most) return;
  throw new SandboxError('protocol_error', `The sidecar sent a result over the limit of ${most} bytes.`);
}

/** The most characters of base64 that a snapshot may have. */
function snapshotText(limits: RunRequest['params']['limits']): number {
  return 4 * Math.ceil((limits?.snapshotBytes ?? limitTable.snapshotBytes.default) / 3);
}

/** The bounds for messages of a sidecar during this run. */
export function boundsOf({ params: { limits, hostFunctions }, segment }: RunRequest): MessageBounds {
  const output = limits?.outputBytes ?? limitTable.outputBytes.default;
  const result = segment === undefined ? output : Math.max(output, snapshotText(limits)) + maxValueBytes;
  return {
    bytes: (hostFunctions === undefined ? result : Math.max(result, maxValueBytes)) + besides.bytes,
    items: maxValueItems + besides.items,
  };
}

/**
 * Checks the messages that a sidecar sends unasked against the present run. The script may have taken over the sidecar,
 * so nothing is trusted: neither the run that a message names, nor the number of messages.
 */
export class Incoming {
  readonly #request: RunRequest;
  readonly #startedAt = performance.now();
  #text = 0;
  #lines = 0;
  #calls = 0;
  #reports = 0;
  #spent: RunSpent | undefined;
  /** How many host functions may be pending. A script without `async` and `await` waits for each. */
  readonly #mostAtOnce: number;
  /** The bounds for messages during the run. */
  readonly bounds: MessageBounds;

  constructor(request: RunRequest) {
    this.#request = request;
    const { script, limits, hostFunctions } = request.params;
    const mostAtOnce = limits?.outstandingHostCalls ?? limitTable.outstandingHostCalls.default;
    this.#mostAtOnce = hostFunctions !== undefined && mayWait.test(script) ? mostAtOnce : 1;
    this.bounds = boundsOf(request);
  }

  /** @throws {SandboxError} `protocol_error` for another run, or for more lines than a script can write */
  console({ runId, level, text }: Notice<'sandbox/console'>): void {
    this.#assertOurs(runId, 'wrote to the console');
    this.#text += text.length + 1;
    this.#lines++;
    // Two seconds are added, because each end may cut a second into two windows, and the sidecar adds lines of its own.
    const seconds = (performance.now() - this.#startedAt) / 1_000 + 2;
    if (
      this.#lines > seconds * maxConsoleLinesPerSecond ||
      this.#text > maxConsoleRunCharacters + 4 * maxConsoleCharacters
    ) {
      throw new SandboxError('protocol_error', 'The sidecar wrote more to the console than a script can.');
    }
    const { onConsole, callersContext } = this.#request;
    if (onConsole !== undefined) callersContext.runInAsyncScope(() => callSafely(onConsole, { level, text }));
  }

  /** @throws {SandboxError} `protocol_error` for another run, or for more reports than a sidecar sends */
  progress({ runId, spent }: Notice<'sandbox/progress'>): void {
    this.#assertOurs(runId, 'reported progress');
    const seconds = (performance.now() - this.#startedAt) / 1_000 + 2;
    if (++this.#reports > seconds * maxProgressPerSecond) {
      throw new SandboxError('protocol_error', 'The sidecar reported progress more often than it may.');
    }
    this.#spent = spent;
    const { onProgress, callersContext } = this.#request;
    if (onProgress !== undefined) callersContext.runInAsyncScope(() => callSafely(onProgress, spent));
  }

  /**
   * What the run had used when its sidecar was lost, as the sidecar last reported it; `undefined` when it never
   * reported.
   *
   * @param cpuMs known only if the sidecar ended itself
   */
  spentUntilLost({ executionMs, cpuMs }: { executionMs: number; cpuMs?: number }): RunSpent | undefined {
    if (this.#spent === undefined && cpuMs === undefined) return undefined;
    const told = this.#spent ?? {
      executionMs: 0,
      cpuMs: 0,
      instructionsUsed: 0,
      heapBytesUsed: 0,
      hostCalls: 0,
      bytesRead: 0,
    };
    return {
      ...told,
      executionMs: Math.max(told.executionMs, executionMs),
      cpuMs: Math.max(told.cpuMs, cpuMs ?? 0),
      hostCalls: Math.max(told.hostCalls, this.#calls),
    };
  }

  /** Whether the sidecar has sent anything for this run. */
  get isHeardOf(): boolean {
    return this.#calls > 0 || this.#lines > 0 || this.#reports > 0;
  }

  /**
   * @throws {SandboxError} `protocol_error` for another run, for a function that it did not offer, or for too many at a
   * time
   */
  call(call: Params<'sandbox/callHostFunction'>, over: CancelSignal): Promise<HostAnswer> | HostAnswer {
    this.#assertOurs(call.runId, `called '${call.name}'`);
    if (this.#request.segment !== undefined) {
      throw new SandboxError(
        'protocol_error',
        `The sidecar called '${call.name}' during a segment, whose calls are answered after it.`,
      );
    }
    // An honest sidecar may send this before it knows of the end. No new call may begin now.
    if (over.aborted || this.#request.signal?.aborted) return { error: cancelled };
    const { limits } = this.#request.params;
    const calls = limits?.hostCalls ?? limitTable.hostCalls.default;
    if (++this.#calls > calls) {
      throw new SandboxError('protocol_error', `The sidecar called host functions more than ${calls} times.`);
    }
    const { hostCalls, callersContext } = this.#request;
    if (hostCalls.outstanding >= this.#mostAtOnce) {
      const most = this.#mostAtOnce === 1 ? 'one host function' : `${this.#mostAtOnce} host functions`;
      throw new SandboxError('protocol_error', `The sidecar called more than ${most} at a time.`);
    }
    return callersContext.runInAsyncScope(() => hostCalls.answer(call, over));
  }

  #assertOurs(runId: string, did: string): void {
    if (this.#request.params.runId === runId) return;
    throw new SandboxError('protocol_error', `The sidecar ${did} for a run that is not under way.`);
  }
}

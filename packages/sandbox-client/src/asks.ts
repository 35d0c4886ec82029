import {
  decodeValue,
  type CancelSignal,
  type Connection,
  type Diagnostic,
  type ParamsIn,
  type RequestMethod,
  type Result,
  type SandboxValue,
} from '@mustard-sandbox/protocol';
import { assertFits, assertGiven, decodedCall } from './incoming.ts';
import type { RunRequest } from './run-request.ts';
import type { WaitingCall } from './types.ts';

/** How long a validation may take, in ms. It only compiles, so a longer one means that the compiler hangs. */
const validateTimeoutMs = 2_000;
/** How long a sidecar may take to answer a ping, in ms. */
const pingTimeoutMs = 1_000;

/** A question to a sidecar, and how its answer is read. */
export interface Ask<T> {
  method: RequestMethod;
  /** The time for the answer, in ms. The client waits longer: see `Task`. */
  timeoutMs: number;
  /** The run, if the question is to run something. */
  request?: RunRequest;
  /** @param signal cancels the question at the sidecar */
  send(connection: Connection, signal: CancelSignal | undefined): Promise<unknown>;
  /**
   * Reads the answer.
   *
   * @param bytes how much the sidecar has sent since it was asked
   * @throws {SandboxError} `protocol_error` for an answer that no honest sidecar gives
   */
  read(answer: unknown, bytes: number): T;
}

/** The checked answer of a sidecar to a run. */
export interface SidecarResult {
  answer: Result<'sandbox/run'>;
  /** The value of the script, decoded. */
  value: SandboxValue;
  /** How many bytes the sidecar has sent since it got the run. */
  bytes: number;
}

type SegmentAnswer = Result<'sandbox/runSegment'>;
/** How a segment ended, checked and decoded. */
export type SidecarSegment =
  | (Omit<Extract<SegmentAnswer, { state: 'waiting' }>, 'calls'> & { calls: WaitingCall[] })
  | (Omit<Extract<SegmentAnswer, { state: 'completed' }>, 'value'> & { value: SandboxValue });

/** The question that runs one script. */
export function runOf(request: RunRequest): Ask<SidecarResult> {
  return asking('sandbox/run', request.params, request, (answer, bytes) => {
    assertGiven(answer.attachmentsRead ?? [], request);
    assertFits(answer.value, request, bytes);
    return { answer, value: decodeValue(answer.value), bytes };
  });
}

/** The question that runs one segment of a run. */
export function segmentOf(request: RunRequest): Ask<SidecarSegment> {
  // Raw JSON must stand before everything else in a message.
  const { runId, ...params } = request.params;
  const from = request.segment?.from;
  const all = { runId, ...(from !== undefined && { from }), ...params };
  return asking('sandbox/runSegment', all, request, (answer, bytes) => {
    assertGiven(answer.attachmentsRead ?? [], request);
    if (answer.state === 'waiting') return { ...answer, calls: answer.calls.map((call) => decodedCall(call, request)) };
    assertFits(answer.value, request, bytes);
    return { ...answer, value: decodeValue(answer.value) };
  });
}

export function validationOf({ script, engine }: ParamsIn<'sandbox/validate'>): Ask<Diagnostic[]> {
  const params = { script, engine };
  return asking('sandbox/validate', params, validateTimeoutMs, ({ diagnostics }) => diagnostics);
}

/** Asks whether the sidecar is alive. */
export const ping: Ask<true> = asking('ping', {}, pingTimeoutMs, () => true);

/** @param time of a run, or in ms */
function asking<M extends RequestMethod, T>(
  method: M,
  params: ParamsIn<M>,
  time: RunRequest | number,
  read: (answer: Result<M>, bytes: number) => T,
): Ask<T> {
  return {
    method,
    ...(typeof time === 'number' ? { timeoutMs: time } : { timeoutMs: time.timeoutMs, request: time }),
    send: (connection, signal) => connection.request(method, params, signal),
    read,
  };
}

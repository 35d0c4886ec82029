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

/** The time of a validation. It only compiles, so a longer one means that the compiler hangs. */
const validateTimeoutMs = 2_000;
/** How long a sidecar may take to answer a ping. */
const pingTimeoutMs = 1_000;

/** Something to ask a sidecar, and how its answer is read. */
export interface Ask<T> {
  method: RequestMethod;
  /** In ms. The client waits longer: see `Task`. */
  timeoutMs: number;
  /** What is run, if something is. */
  request?: RunRequest;
  /** @param signal cancels it at the sidecar */
  send(connection: Connection, signal: CancelSignal | undefined): Promise<unknown>;
  /**
   * What the answer says.
   *
   * @param bytes what came from the sidecar since it was asked
   * @throws {SandboxError} `protocol_error` for an answer that no honest sidecar gives
   */
  read(answer: unknown, bytes: number): T;
}

/** What a sidecar answered to a run, checked. */
export interface SidecarResult {
  answer: Result<'sandbox/run'>;
  /** The value of the script, decoded. */
  value: SandboxValue;
  /** What came from the sidecar since the run was sent. */
  bytes: number;
}

type SegmentAnswer = Result<'sandbox/runSegment'>;
/** How a segment ended, checked and decoded. */
export type SidecarSegment =
  | (Omit<Extract<SegmentAnswer, { state: 'waiting' }>, 'calls'> & { calls: WaitingCall[] })
  | (Omit<Extract<SegmentAnswer, { state: 'completed' }>, 'value'> & { value: SandboxValue });

/** One script. */
export function runOf(request: RunRequest): Ask<SidecarResult> {
  return asking('sandbox/run', request.params, request, (answer, bytes) => {
    assertGiven(answer.attachmentsRead ?? [], request);
    assertFits(answer.value, request, bytes);
    return { answer, value: decodeValue(answer.value), bytes };
  });
}

/** One segment of a run. */
export function segmentOf(request: RunRequest): Ask<SidecarSegment> {
  // What is raw in a message comes first in it.
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

/** Whether it is there. */
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

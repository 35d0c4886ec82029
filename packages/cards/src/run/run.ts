import type { ScriptRecord } from '@mustard-sandbox/agent-tool';
import { statusOfError, type RunStatus } from './states.ts';

/** A call without a record: it has not ended, or only its events are known. Times are in ms, sizes in bytes. */
export interface LiveRun {
  runId: string;
  status: RunStatus;
  /** Whether the script itself has begun. Before that, a person may still have to be asked. */
  begun?: boolean;
  /** Absent when only the events of the call are known. */
  script?: string;
  description?: string;
  /** While it waits: the host function that a person is asked about, if the question is not about the script. */
  hostFunction?: string;
  durationMs?: number;
  bytesRead?: number;
  /** When it began, ISO 8601. */
  at: string;
}

/** What a card shows: a call that was kept, or one that has not ended. */
export type Run = ScriptRecord | LiveRun;

export type ResultRecord = Extract<ScriptRecord, { result: unknown }>;
export type ErrorRecord = Extract<ScriptRecord, { error: unknown }>;
export type DeniedRecord = Extract<ScriptRecord, { denied: unknown }>;

export function isLive(run: Run): run is LiveRun {
  return 'status' in run;
}

export function hasResult(run: Run): run is ResultRecord {
  return 'result' in run;
}

export function hasError(run: Run): run is ErrorRecord {
  return 'error' in run;
}

function isDenied(run: Run): run is DeniedRecord {
  return 'denied' in run;
}

export function statusOf(run: Run): RunStatus {
  if (isLive(run)) return run.status;
  if (isDenied(run)) return 'denied';
  if (hasResult(run)) return 'success';
  return statusOfError(run.error.code);
}

/** Whether the script has not begun, and nobody has been asked about it yet. */
export function isCalled(run: Run): boolean {
  return isLive(run) && run.status === 'running' && run.begun !== true;
}

/** The output of the script as text, without the tool's notes to the model. */
export function outputOf({ result }: ResultRecord): string {
  const { text, truncated, totalBytes, empty } = result;
  if (empty === true) return '';
  if (truncated || totalBytes === undefined) return text;
  const bytes = new TextEncoder().encode(text);
  return bytes.length <= totalBytes ? text : new TextDecoder().decode(bytes.subarray(0, totalBytes));
}

/** The text of an ended run that can be copied. */
export function copyableOutput(run: Run): string {
  if (isLive(run)) return '';
  if (hasResult(run)) return outputOf(run);
  return hasError(run) ? run.error.text : run.denied.text;
}

/** Whether the place of the error is the whole script. Then there is no line to mark. */
export function isWholeScript({ script, error: { location } }: ErrorRecord): boolean {
  if (location === undefined || location.precision === 'statement' || location.functionName !== undefined) return false;
  const lines = script.trimEnd().split('\n').length;
  return location.line === 1 && location.endLine >= lines;
}

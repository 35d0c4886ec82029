import type { ErrorCode, ErrorDetails, RunStats, RunWarning } from '@mustard-sandbox/client';
import type { Denial } from './consent.ts';
import type { Output } from './output.ts';
import type { ScriptRecord } from './record.ts';

interface Common {
  /** What the model gets; at most 64 KiB when the script completed. */
  text: string;
  /** From the call to its answer, in ms, without the wait for consent. */
  durationMs: number;
  /** To be kept with the chat. */
  record: ScriptRecord;
}

/** The script ran to its end. Times in ms, sizes in bytes. */
export interface CompletedResult extends Common, Output, RunStats {
  status: 'completed';
  /** Names of the attachments that it read. */
  attachmentsRead: string[];
  /** Where the answer may differ from what the script means in JavaScript. They stand below `text` as well. */
  warnings: RunWarning[];
}

/** It did not run, or not to its end; the numbers of a run are there where the sidecar told them. `text` tells the model what to write instead. */
export interface FailedResult extends Common, Partial<RunStats> {
  status: 'failed';
  error: { code: ErrorCode; message: string; details: ErrorDetails };
}

/** It was not allowed to run. */
export interface DeniedResult extends Common, Omit<Denial, 'allowed'> {
  status: 'denied';
}

/** JSON-able. Give the model `text`; the rest is for the host. */
export type ExecuteSandboxScriptResult = CompletedResult | FailedResult | DeniedResult;

import type { EngineName, ErrorCode, ErrorDetails, RunStats, RunWarning, SavedOutput } from '@mustard-sandbox/client';
import type { Denial } from './consent.ts';
import type { Output } from './output.ts';
import type { ScriptRecord } from './record.ts';

interface Common {
  /** What the model gets; at most 64 KiB when the script completed. */
  text: string;
  /** From the call to its answer, in ms. The wait for consent does not count. */
  durationMs: number;
  /** To be kept with the chat. */
  record: ScriptRecord;
}

/** The script ran to its end. Times in ms, sizes in bytes. */
export interface CompletedResult extends Common, Output, RunStats {
  status: 'completed';
  /** Which engine ran it. */
  engine: EngineName;
  /** Names of the attachments that it read. */
  attachmentsRead: string[];
  /**
   * Warnings that the answer may differ from the meaning of the script in JavaScript. They are at the end of `text`
   * too.
   */
  warnings: RunWarning[];
  /** The files that it saved. The model gets their names, sizes and first lines in `text`. */
  outputs: SavedOutput[];
}

/**
 * The script did not run, or did not run to its end. `text` tells the model what to write instead. The numbers of the
 * run are present if the sidecar reported them.
 */
export interface FailedResult extends Common, Partial<RunStats> {
  status: 'failed';
  /** Which engine ran it, if the sidecar reported that. */
  engine?: EngineName;
  /** The files that it had saved before it failed. */
  outputs: SavedOutput[];
  error: { code: ErrorCode; message: string; details: ErrorDetails };
}

/** The script was not allowed to run. */
export interface DeniedResult extends Common, Omit<Denial, 'allowed'> {
  status: 'denied';
}

/** The result of a call. It can be written as JSON. Give the model `text`; the rest is for the host. */
export type ExecuteSandboxScriptResult = CompletedResult | FailedResult | DeniedResult;

import type { MessagePort } from 'node:worker_threads';
import type { ErrorCode, ErrorDetails } from '@mustard-sandbox/protocol';
import type { CutShort } from '../index.ts';
import type { ReadBudget } from '../budget.ts';
import type { Files } from '@mustard-sandbox/paths';

/** The built-ins whose libraries give promises. */
export type AsideName = 'pdf_text' | 'profile' | 'query' | 'read_data' | 'read_sheet';

/** What the thread is started with. */
export interface AsideData {
  /** Carries calls to the thread, and answers back. */
  port: MessagePort;
  /** Holds the words below. */
  shared: SharedArrayBuffer;
}

/** The meaning of each word of the shared memory. Calls are numbered from 1. */
export const words = {
  /** The number of the last call that was answered. A change wakes the main thread. */
  answered: 0,
  /** The number of the call that must end, because its run is over. */
  stopped: 1,
  /** 1 after the thread has ended by itself. */
  ended: 2,
} as const;

/** One call. The paths in the scope were resolved when the run began, and are not resolved again. */
export interface AsideCall {
  number: number;
  name: AsideName;
  args: readonly unknown[];
  files: Pick<Files, 'tree' | 'attachments'>;
  budget: ReadBudget;
}

/** How a call ended, and what it did to its run. */
export interface AsideAnswer {
  /** The number of the call. */
  number: number;
  end: AsideEnd;
  budget: Pick<ReadBudget, 'used' | 'reached'>;
  attachmentsRead: readonly string[];
  cutShort: readonly CutShort[];
  hasDuckDB: boolean;
}

export type AsideEnd =
  /** A wire value as JSON, because a text is copied faster than objects. */
  | { json: string }
  | { error: { code: ErrorCode; message: string; details: ErrorDetails } }
  /** The stack of an error that should not happen. */
  | { fault: string };

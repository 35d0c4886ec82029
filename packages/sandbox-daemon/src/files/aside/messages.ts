import type { MessagePort } from 'node:worker_threads';
import type { ErrorCode, ErrorDetails } from '@mustard-sandbox/protocol';
import type { CutShort } from '../index.ts';
import type { ReadBudget } from '../budget.ts';
import type { Files } from '@mustard-sandbox/paths';

/** The built-ins whose libraries give promises. */
export type AsideName = 'pdf_text' | 'profile' | 'query' | 'read_data' | 'read_sheet';

/** What the thread is started with. */
export interface AsideData {
  /** Its calls come by it, and its answers go. */
  port: MessagePort;
  /** The words below. */
  shared: SharedArrayBuffer;
}

/** What each word of the shared memory holds. Calls are numbered from 1. */
export const words = {
  /** The last call that was answered. It wakes the main thread. */
  answered: 0,
  /** The call that should end, because its run is over. */
  stopped: 1,
  /** 1: the thread has ended by itself. */
  ended: 2,
} as const;

/** One call. What the scope names was resolved when the run began, and is not looked up again. */
export interface AsideCall {
  number: number;
  name: AsideName;
  args: readonly unknown[];
  files: Pick<Files, 'tree' | 'attachments'>;
  budget: ReadBudget;
}

/** How a call ended, and what it did to its run. */
export interface AsideAnswer {
  /** Of the call. */
  number: number;
  end: AsideEnd;
  budget: Pick<ReadBudget, 'used' | 'reached'>;
  attachmentsRead: readonly string[];
  cutShort: readonly CutShort[];
  hasDuckDB: boolean;
}

export type AsideEnd =
  /** The JSON of a wire value: a text is copied faster than its objects. */
  | { json: string }
  | { error: { code: ErrorCode; message: string; details: ErrorDetails } }
  /** What should not happen; its stack. */
  | { fault: string };

import type { CrashReason, ErrorCode, RunStats } from '@mustard-sandbox/client';

interface RunFacts {
  /** The same in every event of one run. */
  runId: string;
  /** SHA-256 of the script, in hex. */
  scriptHash: string;
}

interface Outcome extends RunFacts {
  /** From the call to its answer, in ms, without the wait for consent. */
  durationMs: number;
}

/** Everything that a host may want to log, count or show. Names, sizes and times only: never what is in a file. */
export type AgentEvent = { /** ISO 8601. */ at: string } & (
  | { type: 'attachment.stored'; name: string; size: number; mimeType?: string; deduplicated: boolean }
  | ({ type: 'sandbox.script.run'; scriptBytes: number; attachments: number } & RunFacts)
  | ({ type: 'sandbox.script.completed'; resultBytes: number } & Outcome & RunStats)
  | ({ type: 'sandbox.script.failed'; code: ErrorCode } & Outcome)
  | ({ type: 'sandbox.script.timeout'; timeoutMs: number } & Outcome)
  | ({ type: 'sandbox.script.crashed'; reason?: CrashReason } & Outcome)
  | ({ type: 'sandbox.script.truncated'; totalBytes: number; shownBytes: number; spilled: boolean } & RunFacts)
  | ({ type: 'sandbox.script.denied'; by: 'settings' | 'user' | 'error'; capability?: string } & RunFacts)
  /** A turn of a local agent ended, and none of the files attached to it was read. `message` is for the user. */
  | { type: 'sandbox.tool.unused_with_attachment'; attachments: string[]; message: string }
);

/** One listener for all of it. What it throws is ignored: telling must not change what happens. */
export type AgentEventListener = (event: AgentEvent) => void;

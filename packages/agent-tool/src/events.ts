import type { CrashReason, EngineName, ErrorCode, RunStats } from '@mustard-sandbox/client';

interface RunFacts {
  /** Identifies the call of the tool. All events of a call have the same id. */
  runId: string;
  /** SHA-256 of the script, in hex. */
  scriptHash: string;
}

interface Outcome extends RunFacts {
  /** From the call to its answer, in ms. The wait for consent does not count. */
  durationMs: number;
  /** Which engine ran it, if known. */
  engine?: EngineName;
}

/**
 * Why a script, or a call of a host function, was not allowed. Scripts are turned off (`disabled`) or never allowed
 * (`never`), a person said no (`declined`), nobody can be asked (`no_consent_function`), or asking failed.
 */
export type DenialReason =
  'disabled' | 'never' | 'declined' | 'no_consent_function' | 'consent_failed' | 'consent_timeout' | 'unknown_answer';

/**
 * Everything that a host may want to log, count or show. Events have names, sizes and times only, and never the content
 * of a file.
 */
export type AgentEvent = { /** ISO 8601. */ at: string } & (
  | { type: 'attachment.stored'; name: string; size: number; mediaType?: string; deduplicated: boolean }
  /**
   * The manifest of the attachments was broken or missing, and was rebuilt from the files. `renamed` is how many
   * attachments lost their names. `setAside` is the file name of the broken manifest.
   */
  | { type: 'attachment.manifest_rebuilt'; attachments: number; renamed: number; setAside?: string }
  /** A person is asked, or will be after earlier questions: about the script, or about its call of `hostFunction`. */
  | ({ type: 'sandbox.script.asked'; hostFunction?: string } & RunFacts)
  /**
   * The script was allowed and goes to a sidecar. Exactly one of `completed`, `failed`, `timeout`, `crashed` follows.
   */
  | ({ type: 'sandbox.script.run'; scriptBytes: number; attachments: number } & RunFacts)
  | ({ type: 'sandbox.script.completed'; resultBytes: number } & Outcome & RunStats)
  /** It may come without `run` before it: for invalid arguments, or an abort during the question for consent. */
  | ({ type: 'sandbox.script.failed'; code: ErrorCode } & Outcome)
  | ({ type: 'sandbox.script.timeout'; timeoutMs: number } & Outcome)
  | ({ type: 'sandbox.script.crashed'; reason?: CrashReason } & Outcome)
  /** Follows `completed` when the model got only a part of the result. */
  | ({ type: 'sandbox.script.truncated'; totalBytes: number; shownBytes: number; spilled: boolean } & RunFacts)
  /** With `hostFunction`: the script was allowed, but its call of this host function was not. */
  | ({
      type: 'sandbox.script.denied';
      by: 'settings' | 'user' | 'error';
      reason: DenialReason;
      hostFunction?: string;
    } & RunFacts)
  /**
   * The tool's own sandbox should be in a jail of the operating system, but is not, because of `reason`. The next
   * attempt is after `retryMs`.
   */
  | { type: 'sandbox.isolation.degraded'; reason: string; retryMs: number }
  /** A turn of a local agent ended, and none of the files attached to it was read. `message` is for the user. */
  | { type: 'sandbox.tool.unused_with_attachment'; attachments: string[]; message: string }
);

/** One listener for all events. Errors that it throws are ignored, because a listener must not change what happens. */
export type AgentEventListener = (event: AgentEvent) => void;

type WithoutTime<E> = E extends AgentEvent ? Omit<E, 'at'> : never;

/** An event before its time is added. */
export type EventFacts = WithoutTime<AgentEvent>;

/** Calls `listener`, if there is one. Errors and rejections of the listener are ignored. */
export function emit(listener: AgentEventListener | undefined, facts: EventFacts): void {
  if (listener === undefined) return;
  try {
    const result: unknown = listener({ at: new Date().toISOString(), ...facts });
    // The listener may be async, and its unhandled rejection would end the process.
    if (result instanceof Promise) result.catch(() => {});
  } catch {
    // An error of the listener must not change what happens.
  }
}

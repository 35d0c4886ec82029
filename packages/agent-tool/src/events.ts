import type { CrashReason, ErrorCode, RunStats } from '@mustard-sandbox/client';

interface RunFacts {
  /** The same in every event of one call of the tool. */
  runId: string;
  /** SHA-256 of the script, in hex. */
  scriptHash: string;
}

interface Outcome extends RunFacts {
  /** From the call to its answer, in ms, without the wait for consent. */
  durationMs: number;
}

/**
 * Why a script, or a call of a host function, was not allowed: scripts are turned off (`disabled`) or never allowed
 * (`never`), a person said no (`declined`), nobody can be asked (`no_consent_function`), or asking went wrong.
 */
export type DenialReason =
  'disabled' | 'never' | 'declined' | 'no_consent_function' | 'consent_failed' | 'consent_timeout' | 'unknown_answer';

/** Everything that a host may want to log, count or show. Names, sizes and times only: never what is in a file. */
export type AgentEvent = { /** ISO 8601. */ at: string } & (
  | { type: 'attachment.stored'; name: string; size: number; mediaType?: string; deduplicated: boolean }
  /**
   * The manifest of the attachments was broken or gone, and was made again from the files that are there. `renamed` of
   * them lost their name. `setAside` is the file name of the broken one.
   */
  | { type: 'attachment.manifest_rebuilt'; attachments: number; renamed: number; setAside?: string }
  /** A person is asked, or waits to be: about the script, or with `hostFunction` about its call of that one. */
  | ({ type: 'sandbox.script.asked'; hostFunction?: string } & RunFacts)
  /** Allowed, and on its way to a sidecar. Exactly one of `completed`, `failed`, `timeout`, `crashed` follows. */
  | ({ type: 'sandbox.script.run'; scriptBytes: number; attachments: number } & RunFacts)
  | ({ type: 'sandbox.script.completed'; resultBytes: number } & Outcome & RunStats)
  /** Also without `run` before it: arguments out of shape, or an abort while consent was asked for. */
  | ({ type: 'sandbox.script.failed'; code: ErrorCode } & Outcome)
  | ({ type: 'sandbox.script.timeout'; timeoutMs: number } & Outcome)
  | ({ type: 'sandbox.script.crashed'; reason?: CrashReason } & Outcome)
  /** After `completed`, when the model got only a part of the result. */
  | ({ type: 'sandbox.script.truncated'; totalBytes: number; shownBytes: number; spilled: boolean } & RunFacts)
  /** `hostFunction`: the script was allowed, and this host function was not when the script called it. */
  | ({
      type: 'sandbox.script.denied';
      by: 'settings' | 'user' | 'error';
      reason: DenialReason;
      hostFunction?: string;
    } & RunFacts)
  /**
   * The tool's own sandbox should be in a jail of the operating system, and for `reason` is in none. It is tried again
   * after `retryMs`.
   */
  | { type: 'sandbox.isolation.degraded'; reason: string; retryMs: number }
  /** A turn of a local agent ended, and none of the files attached to it was read. `message` is for the user. */
  | { type: 'sandbox.tool.unused_with_attachment'; attachments: string[]; message: string }
);

/** One listener for all of it. What it throws is ignored: telling must not change what happens. */
export type AgentEventListener = (event: AgentEvent) => void;

type WithoutTime<E> = E extends AgentEvent ? Omit<E, 'at'> : never;

/** An event before it is told. */
export type EventFacts = WithoutTime<AgentEvent>;

/** Tells `listener`, if there is one. Neither what it throws nor a promise that it rejects gets out. */
export function emit(listener: AgentEventListener | undefined, facts: EventFacts): void {
  if (listener === undefined) return;
  try {
    const result: unknown = listener({ at: new Date().toISOString(), ...facts });
    // An async function is a listener too, and its rejection would end the process.
    if (result instanceof Promise) result.catch(() => {});
  } catch {
    // Its own business.
  }
}

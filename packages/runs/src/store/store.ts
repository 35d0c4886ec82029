import type { CallState, RunState, WaitsFor } from '../states.ts';

/** A run in a store. Times are in ms since 1970. */
export interface StoredRun {
  id: string;
  tenant: string;
  state: RunState;
  step: number;
  waitsFor: WaitsFor[];
  /** When it continues by itself. */
  wakeAt: number | undefined;
  expiresAt: number | undefined;
  createdAt: number;
  updatedAt: number;
  /** The options that it was started with, sealed. */
  spec: Uint8Array;
  /** The snapshot at which it waits, sealed. */
  snapshot: Uint8Array | undefined;
  /** JSON: the value of a script that has ended, or the problem of a run that did not complete. */
  outcome: string | undefined;
  /** The run and the call that it was forked at. */
  forkOf: { run: string; call: number } | undefined;
}

/** Facts about a call apart from its answer, for the audit and for decisions. Times are in ms since 1970. */
export interface CallFacts {
  begunAt: number;
  /** The steps of the run at which the script made the call, and got its answer. */
  begunIn?: number;
  givenIn?: number;
  /** What the script got before the call was made, as JSON of `{ value }`. */
  standIn?: string;
  /** The cost in a unit of the host. Absent when it costs nothing, or is not to be made. */
  cost?: number;
  ruling?: 'allowed' | 'asked' | 'approved' | 'denied' | 'refused';
  /** Who or what decided: a person, or a rule. */
  by?: string;
  decidedAt?: number;
  /** The rule that a decision may have remembered, in the form in which it is shown. */
  rule?: unknown;
  remembered?: 'run' | 'always';
  madeAt?: number;
  answeredAt?: number;
  /** How many bytes of JSON the tool has returned. */
  answerBytes?: number;
  answerHash?: string;
  /** The file that holds a large answer. */
  file?: KeptFile;
}

/** A file that holds the large answer of a tool. */
export interface KeptFile {
  /** The name in scripts, after `attachments:`. */
  name: string;
  bytes: number;
  sha256: string;
}

/** A call in a store. */
export interface StoredCall {
  id: number;
  tool: string;
  /** The arguments, as JSON of a list. */
  args: string;
  line: number | undefined;
  column: number | undefined;
  key: string;
  state: CallState;
  /** The earliest time to make it, in ms since 1970. */
  notBefore: number;
  /** JSON of `{ value }` or `{ error }`; `undefined` before the call is answered. */
  answer: string | undefined;
  /**
   * `open`: the script waits for it. `given`: the script has its answer. `proposed`: the script has a stand-in, and the
   * call is part of the proposal. `kept`: the script was started again and has not made this call yet.
   */
  use: 'open' | 'given' | 'proposed' | 'kept';
  facts: CallFacts;
}

/** A run with its calls, read in one transaction. */
export interface Loaded {
  run: StoredRun;
  calls: StoredCall[];
  fence: number;
  /** Changes with every decision. */
  revision: number;
}

/** What the holder of a claim changes. Either everything is written or nothing. */
export interface Change {
  run?: Partial<Pick<StoredRun, 'state' | 'step' | 'waitsFor' | 'wakeAt' | 'snapshot' | 'outcome'>>;
  /** They replace calls with the same ids. */
  calls?: readonly StoredCall[];
  /** Deletes calls that are neither answered nor listed above. */
  dropsUnanswered?: boolean;
  /** Until when the claim holds. 0 gives it up. */
  claimedUntil?: number;
  /** Writes only if there was no decision since this revision. */
  ifRevision?: number;
}

/** A decision on one call. */
export interface Verdict {
  call: number;
  /** The state that the call must have. */
  from: CallState;
  to: Pick<StoredCall, 'state' | 'answer' | 'facts'>;
}

/**
 * Where runs are kept. Each method is one transaction, and its effect survives the end of this process. Several hosts
 * may use a store at the same time.
 */
export interface RunStore {
  /**
   * @param claimedUntil also claims the run, with the fence 1
   * @returns whether there was no run with its id
   */
  create(run: StoredRun, calls: readonly StoredCall[], claimedUntil?: number): Promise<boolean>;
  load(id: string): Promise<Loaded | undefined>;
  /** Runs without snapshots, the newest first, with their open or proposed calls. */
  list(filter: { tenant: string; states: readonly RunState[]; limit: number }): Promise<Loaded[]>;
  /**
   * Claims a run that has not ended and that nobody holds.
   *
   * @returns the fence, which is higher than any before; writes with a lower one are refused. `undefined` when somebody
   * holds it
   */
  claim(id: string, now: number, until: number): Promise<number | undefined>;
  /** @returns whether the fence was the newest, and the revision, if given, was still the same */
  commit(id: string, fence: number, now: number, change: Change): Promise<boolean>;
  /**
   * Applies decisions to a run that has not ended, and lets it continue. Either all of them are applied or none.
   *
   * @returns whether each call had the state that it must have
   */
  decide(id: string, now: number, verdicts: readonly Verdict[]): Promise<boolean>;
  /** Ends a run that has not ended, and takes it from its holder. @returns whether it had not ended */
  end(id: string, now: number, state: 'cancelled' | 'expired'): Promise<boolean>;
  /** Deletes a run that has ended, with its calls. */
  remove(id: string): Promise<void>;
  /** Ends the runs of a tenant whose time is over. @returns their ids */
  expire(tenant: string, now: number): Promise<string[]>;
  /** Runs of a tenant that can continue and that nobody holds. */
  due(tenant: string, now: number, limit: number): Promise<string[]>;
  close(): Promise<void>;
}

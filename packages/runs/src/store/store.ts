import type { CallState, RunState, WaitsFor } from '../states.ts';

/** A run in a store. Times in ms since 1970. */
export interface StoredRun {
  id: string;
  tenant: string;
  state: RunState;
  step: number;
  waitsFor: WaitsFor[];
  /** When it goes on by itself. */
  wakeAt: number | undefined;
  expiresAt: number | undefined;
  createdAt: number;
  updatedAt: number;
  /** What was asked for, sealed. */
  spec: Uint8Array;
  /** Where it waits, sealed. */
  snapshot: Uint8Array | undefined;
  /** JSON: the value of a script that has ended, or the problem of a run that did not complete. */
  outcome: string | undefined;
  /** The run and the call that it was forked at. */
  forkOf: { run: string; call: number } | undefined;
}

/** What is told of a call beside its answer: for the audit, and for what follows from it. Times in ms since 1970. */
export interface CallFacts {
  begunAt: number;
  /** The steps of the run at which the script made the call, and got its answer. */
  begunIn?: number;
  givenIn?: number;
  /** What the script was given before the call was made; JSON of `{ value }`. */
  standIn?: string;
  /** In a unit of the host. Absent: it costs nothing, or is not to be made. */
  cost?: number;
  ruling?: 'allowed' | 'asked' | 'approved' | 'denied' | 'refused';
  /** Who or what decided: a person, or a rule. */
  by?: string;
  decidedAt?: number;
  /** The rule that a decision may have remembered, as it is shown. */
  rule?: unknown;
  remembered?: 'run' | 'always';
  madeAt?: number;
  answeredAt?: number;
  /** The JSON of what the tool gave. */
  answerBytes?: number;
  answerHash?: string;
  /** The file that holds the answer where that is large. */
  file?: KeptFile;
}

/** A file that holds the large answer of a tool. */
export interface KeptFile {
  /** As scripts name it, after `attachments:`. */
  name: string;
  bytes: number;
  sha256: string;
}

/** A call in a store. */
export interface StoredCall {
  id: number;
  tool: string;
  /** JSON of a list. */
  args: string;
  line: number | undefined;
  column: number | undefined;
  key: string;
  state: CallState;
  /** The earliest time to make it, in ms since 1970. */
  notBefore: number;
  /** JSON of `{ value }` or `{ error }`; of a call that was answered. */
  answer: string | undefined;
  /**
   * `open`: the script waits for it. `given`: the script has its answer. `proposed`: the script has a stand-in, and the call is
   * for the proposal. `kept`: of a script that was started again, which has not made this call yet.
   */
  use: 'open' | 'given' | 'proposed' | 'kept';
  facts: CallFacts;
}

/** A run with its calls, as it was read in one transaction. */
export interface Loaded {
  run: StoredRun;
  calls: StoredCall[];
  fence: number;
  /** Changes with every decision. */
  revision: number;
}

/** What a claim's holder changes, all of it or nothing. */
export interface Change {
  run?: Partial<Pick<StoredRun, 'state' | 'step' | 'waitsFor' | 'wakeAt' | 'snapshot' | 'outcome'>>;
  /** Written over those with the same ids. */
  calls?: readonly StoredCall[];
  /** Deletes the calls that are neither answered nor given above. */
  dropsUnanswered?: boolean;
  /** Until when the claim holds; 0 gives it up. */
  claimedUntil?: number;
  /** Only if there was no decision since then. */
  ifRevision?: number;
}

/** A decision on one call. */
export interface Verdict {
  call: number;
  /** What the call must be. */
  from: CallState;
  to: Pick<StoredCall, 'state' | 'answer' | 'facts'>;
}

/**
 * Where runs are kept. Each method is one transaction, and what it has done outlives the end of this process. A store is for
 * several hosts at a time.
 */
export interface RunStore {
  /**
   * @param claimedUntil claims it, too, with the fence 1
   * @returns whether there was none with its id
   */
  create(run: StoredRun, calls: readonly StoredCall[], claimedUntil?: number): Promise<boolean>;
  load(id: string): Promise<Loaded | undefined>;
  /** The newest first, without snapshots, with their calls that are open or proposed. */
  list(filter: { tenant: string; states: readonly RunState[]; limit: number }): Promise<Loaded[]>;
  /**
   * Takes a run that has not ended and that nobody holds.
   *
   * @returns the fence: it is higher than any before, and writes with a lower one are refused. `undefined`: somebody holds it
   */
  claim(id: string, now: number, until: number): Promise<number | undefined>;
  /** @returns whether the fence was the newest, and the revision, if one is given, still the same */
  commit(id: string, fence: number, now: number, change: Change): Promise<boolean>;
  /**
   * Applies decisions to a run that has not ended, and lets it go on: all of them or none.
   *
   * @returns whether each call was what it must be
   */
  decide(id: string, now: number, verdicts: readonly Verdict[]): Promise<boolean>;
  /** Ends a run that has not ended, and takes it from whoever holds it. @returns whether it had not ended */
  end(id: string, now: number, state: 'cancelled' | 'expired'): Promise<boolean>;
  /** Deletes a run that has ended, with its calls. */
  remove(id: string): Promise<void>;
  /** Ends the runs of a tenant whose time is over. @returns their ids */
  expire(tenant: string, now: number): Promise<string[]>;
  /** Runs of a tenant that can go on and that nobody holds. */
  due(tenant: string, now: number, limit: number): Promise<string[]>;
  close(): Promise<void>;
}

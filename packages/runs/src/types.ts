import type {
  CallAnswer,
  EngineChoice,
  LimitOptions,
  LocalSandbox,
  SandboxValue,
  ScopeOptions,
} from '@mustard-sandbox/client';
import type { LargeAnswers, Policy, Remembered, ToolInput } from './policy.ts';
import type { Key } from '@mustard-sandbox/client/seal';
import type { CallState, RunState, WaitsFor } from './states.ts';
import type { RunStore } from './store/store.ts';

/** A schema in the form of zod and others: https://standardschema.dev. */
export interface InputSchema {
  readonly '~standard': {
    validate(value: unknown): SchemaResult | Promise<SchemaResult>;
  };
}

type SchemaResult =
  | { value: unknown; issues?: undefined }
  | { issues: readonly { message: string; path?: readonly unknown[] | undefined }[] };

/** What a tool gets with each call. */
export interface CallContext {
  /**
   * The key of the call. It stays the same however often the call is made, so it can be the idempotency key of a
   * service.
   */
  key: string;
  /** Aborted when the run is cancelled, or when the call takes too long. */
  signal: AbortSignal;
}

/** A function that scripts call with `await`. */
export interface Tool {
  /** A JavaScript identifier, or two with a dot between them: `github.search` is `search` in the namespace `github`. */
  name: string;
  description: string;
  /** Raise it when the tool changes its meaning. A waiting run then no longer continues by itself. */
  version?: string;
  /** The input is checked on the host before the tool gets it. */
  inputSchema?: InputSchema;
  /**
   * Whether a call that was being made when its host died may be made again. If not, a person is asked whether it was
   * done. Default: false.
   */
  idempotent?: boolean;
  /** Whether a person must approve a call first. Default: false. */
  needsApproval?: boolean | ((input: ToolInput) => boolean | Promise<boolean>);
  /** How long a call may take, in ms. Default: 30,000. */
  timeoutMs?: number;
  /** The cost of a call in a unit of the host, at least 0. `policy` gets the sum. Default: 0. */
  cost?: number | ((input: ToolInput) => number);
  /**
   * For a tool that writes: what scripts get in a run with `writes: 'propose'` before the call is made. It must be
   * JSON, should look like the answer, and must have no effect.
   */
  standIn?: (input: ToolInput) => unknown;
  /**
   * Makes the call. Its answer must be JSON, and the script can catch its errors. It may return `later(at)` instead of
   * an answer. Absent for a tool that is answered from outside, by `resume`.
   */
  execute?: (input: ToolInput, context: CallContext) => unknown;
}

/**
 * The result of `execute` when the answer is not there yet. The call is then made again at that time, with the same
 * key.
 */
export class Later {
  /** In ms since 1970. */
  readonly at: number;

  constructor(at: number) {
    this.at = at;
  }
}

/**
 * Makes the call again at that time, because the answer is not there yet. Meanwhile the run waits without a process.
 */
export function later(at: Date): Later {
  return new Later(at.getTime());
}

/** Options of `createRuns`. */
export interface RunsOptions {
  sandbox: Pick<LocalSandbox, 'runSegment'>;
  store: RunStore;
  /** The first key seals, and every key opens what it has sealed. Each has 32 bytes. */
  keys: readonly Key[];
  tools: readonly Tool[];
  /**
   * The owner of these runs. Runs of another tenant are not found, and their snapshots are not opened. Default: `''`.
   */
  tenant?: string;
  /** How many calls of one run are made at the same time. Default: 8. */
  parallelCalls?: number;
  /** How long a silent host keeps its claim on a run, in ms. Default: 30,000. */
  leaseMs?: number;
  /** Decides on calls. Default: a person is asked when the tool's `needsApproval` says so. */
  policy?: Policy;
  /**
   * Called with the rule of an approval with `remember: 'always'`, so that the host can keep it and apply it in
   * `policy`.
   */
  onAlways?: (remembered: Remembered) => void | Promise<void>;
  /** Default: an answer of more than 1 MB is an error. */
  largeAnswers?: LargeAnswers;
}

/** What to run. */
export interface StartOptions {
  /** The host may choose it, from letters, digits, `_` and `-`. If such a run exists, that run is returned. */
  id?: string;
  script: string;
  /** What it may read. Default: nothing. */
  scope?: ScopeOptions;
  /** Each key becomes a global variable of the script. */
  inputs?: Record<string, unknown>;
  limits?: LimitOptions;
  engine?: EngineChoice;
  /** Names of the tools that it may call. Default: all. */
  tools?: readonly string[];
  /**
   * `propose`: calls of tools with a `standIn` are not made while the script runs. The script gets the stand-ins, and
   * at its end the run waits for one yes or no to all of these calls. They are then made in order. Default: `make`.
   */
  writes?: 'make' | 'propose';
  /** When a run that has not ended becomes `expired`. Default: never. */
  expiresAt?: Date;
}

/** Where to fork a run, and which answer is changed. */
export interface ForkOptions {
  /** The id of an answered call. */
  call: number;
  /** What the script gets instead of the answer. */
  answer: { value: unknown } | { error: { name: string; message: string; code?: string } };
  /** The id of the new run, as in `startRun`. */
  id?: string;
  /** Who changes the answer, for the audit. */
  by?: string;
}

/** A call of a run. */
export interface RunCall {
  /** Counts up from 1 through the run. */
  id: number;
  tool: string;
  /** The arguments, as the script gave them; a tool gets the first one. */
  args: SandboxValue[];
  /** The line of the call in the script, from 1, if the engine can tell it. */
  line?: number;
  /** The column of the call, from 1, in UTF-16 code units, if the engine can tell it. */
  column?: number;
  /** The key of the call. It stays the same however often the call is made. */
  key: string;
  state: CallState;
  /** For a call that waits for an approval: the rule that `remember` would keep. */
  rule?: unknown;
}

/** The record of a call for the audit. */
export interface AuditRecord {
  id: number;
  tool: string;
  /** The arguments, as the script gave them. */
  args: SandboxValue[];
  key: string;
  state: CallState;
  begunAt: Date;
  /** Why the call was made or not. `asked` while nobody has decided. Absent when no decision was needed. */
  ruling?: 'allowed' | 'asked' | 'approved' | 'denied' | 'refused';
  /** The person or the rule that decided. */
  by?: string;
  decidedAt?: Date;
  remembered?: 'run' | 'always';
  /** When the tool was called last. */
  madeAt?: Date;
  answeredAt?: Date;
  /** Whether the answer is an error. */
  failed?: boolean;
  /** How many bytes of JSON the tool has returned. */
  answerBytes?: number;
  /** The SHA-256 of that JSON, in hex. */
  answerHash?: string;
  /** The cost that the tool declared. */
  cost?: number;
}

/** Why a run failed, or cannot continue. */
export interface RunProblem {
  /** The code of a `SandboxError` or a `RunError`. */
  code: string;
  message: string;
  details: Record<string, unknown>;
}

/** The present state of a run. */
export interface Run {
  id: string;
  state: RunState;
  /** How many segments it has run. */
  step: number;
  /** What it waits for. Empty in any other state. */
  waitsFor: WaitsFor[];
  /** Calls to which the script has no answer yet, and calls that it proposes. */
  calls: RunCall[];
  /** The value of a run that completed, or whose script has ended with a proposal. */
  value?: SandboxValue;
  /** The problem of a run that failed, or that waits for a restart. */
  problem?: RunProblem;
  createdAt: Date;
  updatedAt: Date;
  expiresAt?: Date;
  /** The run and the call that it was forked at. */
  forkOf?: { run: string; call: number };
}

/** A decision on a call that a run waits for, or on its proposal. */
export type Decision = (DecisionOnCall | DecisionOnProposal) & {
  /** Who decides, for the audit. */
  by?: string;
};

/** Either all calls of a proposal are made in order, up to the first that fails, or none of them, and the run fails. */
export type DecisionOnProposal = { proposal: 'approve' } | { proposal: 'deny'; why?: string };

export type DecisionOnCall =
  /** For a call that is answered from outside. For a call whose outcome is unknown: it was done, and returned this. */
  | CallAnswer
  /**
   * `remember` keeps the rule that is shown with the call: for this run, or with `onAlways` also for others. It also
   * decides other calls that wait.
   */
  | { id: number; approve: true; remember?: 'run' | 'always' }
  /** The script can catch the denial. */
  | { id: number; deny: string }
  /** For a call whose outcome is unknown: it was not done, which the script can catch; or make it once more. */
  | { id: number; outcome: 'not_done' | 'try_again' };

/** What happens to a run on this host. */
export type RunEvent = { run: string; at: Date } & (
  | { type: 'segment'; step: number; calls: number }
  | { type: 'call'; call: number; tool: string }
  | { type: 'answer'; call: number; tool: string; failed: boolean }
  | { type: 'decision'; call: number }
  | { type: 'console'; level: string; text: string }
  | { type: 'state'; state: RunState; waitsFor: WaitsFor[] }
);

/** Runs of one tenant. */
export interface Runs extends AsyncDisposable {
  /**
   * Starts a run. Settles when it waits for something from outside, or has ended.
   *
   * @throws {RunError} `invalid_request`, `tool_missing`
   * @throws {SandboxError} the error that kept the run from continuing, such as `sidecar_unavailable`; the run stays,
   * for
   *   `recover`
   */
  startRun(options: StartOptions): Promise<Run>;
  /**
   * Applies decisions, and continues the run. Each is applied once: another one on the same call is `not_pending`.
   *
   * @throws {RunError} `not_found`, `ended`, `not_pending`, `wrong_decision`
   * @throws {SandboxError} like `startRun`, and `snapshot_refused`
   */
  resume(id: string, decisions: readonly Decision[]): Promise<Run>;
  /**
   * Applies decisions like `resume`, but leaves it to the caller of `recover` to continue the run. It is for a host
   * that does not make the calls, such as a command beside a server.
   *
   * @throws {RunError} `not_found`, `ended`, `not_pending`, `wrong_decision`
   */
  decide(id: string, decisions: readonly Decision[]): Promise<Run>;
  /**
   * Starts the script again from its first line with the answers of the ledger, so that no answered call is made again.
   * It is for a run whose snapshot can no longer be opened.
   *
   * @throws {RunError} `not_found`, `ended`, `wrong_decision` while the outcome of a call is unknown
   */
  restart(id: string): Promise<Run>;
  /**
   * Starts a new run with the script and the answers of another run, of which one is changed. Calls that the script had
   * made before it got that answer are not made again. Everything after it is new: calls are decided on and made.
   *
   * @throws {RunError} `not_found`, `not_pending` for a call without an answer, `wrong_decision` while the outcome of
   * an earlier
   *   call is unknown, `invalid_request`
   */
  fork(id: string, options: ForkOptions): Promise<Run>;
  /** @throws {RunError} `not_found` */
  get(id: string): Promise<Run>;
  /** The script of a run, for a person who decides on its calls. @throws {RunError} `not_found` */
  script(id: string): Promise<string>;
  /**
   * All calls of a run: who decided on each, its arguments, and the hash of its answer. @throws {RunError} `not_found`
   */
  audit(id: string): Promise<AuditRecord[]>;
  /** The newest first. */
  list(filter?: { states?: readonly RunState[]; limit?: number }): Promise<Run[]>;
  /** Ends a run for good, and aborts the calls that are being made. @throws {RunError} `not_found`, `ended` */
  cancel(id: string): Promise<Run>;
  /**
   * Deletes a run with its calls and answers. A run that has not ended is cancelled first. @throws {RunError}
   * `not_found`
   */
  remove(id: string): Promise<void>;
  /** What happens to a run on this host from now on, until it has ended or the loop is left. */
  events(id: string): AsyncIterable<RunEvent>;
  /**
   * Continues all runs that no host works on. Call it after a start, and from time to time when several hosts share a
   * store. It also ends runs that have expired.
   */
  recover(): Promise<Run[]>;
  /** Stops working. The host that recovers a run finishes what was being made. */
  close(): Promise<void>;
}

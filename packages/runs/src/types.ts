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

/** A schema as zod and others have it: https://standardschema.dev. */
export interface InputSchema {
  readonly '~standard': {
    validate(value: unknown): SchemaResult | Promise<SchemaResult>;
  };
}

type SchemaResult =
  | { value: unknown; issues?: undefined }
  | { issues: readonly { message: string; path?: readonly unknown[] | undefined }[] };

/** What a tool is told of a call. */
export interface CallContext {
  /** The same for one call, however often it is made: for services that take an idempotency key. */
  key: string;
  /** Aborted when the run is cancelled, or when the call takes too long. */
  signal: AbortSignal;
}

/** A function that scripts call with `await`. */
export interface Tool {
  /** A JavaScript identifier, or two with a dot between them: `github.search` is `search` in the namespace `github`. */
  name: string;
  description: string;
  /** Raise it when the tool means something else: a run that waits then no longer goes on by itself. */
  version?: string;
  /** Checked on the host before the tool sees the input. */
  inputSchema?: InputSchema;
  /**
   * Whether a call may be made again that was under way when its host died. Otherwise a person is asked whether it was done.
   * Default: no.
   */
  idempotent?: boolean;
  /** Whether a person must approve a call first. Default: no. */
  needsApproval?: boolean | ((input: ToolInput) => boolean | Promise<boolean>);
  /** How long a call may take, in ms. Default: 30,000. */
  timeoutMs?: number;
  /** What a call costs, in a unit of the host: for `policy`, which is told the sum. Not below 0. Default: 0. */
  cost?: number | ((input: ToolInput) => number);
  /**
   * Of a tool that writes: what scripts get in a run with `writes: 'propose'`, before the call is made. It must be JSON, and
   * should look like the answer. It must have no effect.
   */
  standIn?: (input: ToolInput) => unknown;
  /**
   * Makes the call. What it gives must be JSON. What it throws, the script can catch. It may give `later(at)` instead.
   * Absent for a tool that is answered from outside, by `resume`.
   */
  execute?: (input: ToolInput, context: CallContext) => unknown;
}

/** What `execute` gives when the answer is not there yet: the call is made again then, with the same key. */
export class Later {
  /** In ms since 1970. */
  readonly at: number;

  constructor(at: number) {
    this.at = at;
  }
}

/** The answer is not there yet: make the call again at that time. Meanwhile the run waits without a process. */
export function later(at: Date): Later {
  return new Later(at.getTime());
}

/** Options of `createRuns`. */
export interface RunsOptions {
  sandbox: Pick<LocalSandbox, 'runSegment'>;
  store: RunStore;
  /** The first one seals; all of them open what they have sealed. Each has 32 bytes. */
  keys: readonly Key[];
  tools: readonly Tool[];
  /** Whose runs these are. Runs of another tenant are not found, and their snapshots not opened. Default: `''`. */
  tenant?: string;
  /** How many calls of one run are made at a time. Default: 8. */
  parallelCalls?: number;
  /** How long a host that says nothing keeps its claim on a run, in ms. Default: 30,000. */
  leaseMs?: number;
  /** Default: a person is asked where the tool's `needsApproval` says so. */
  policy?: Policy;
  /** Is given the rule of an approval with `remember: 'always'`, to keep it and to follow it in `policy`. */
  onAlways?: (remembered: Remembered) => void | Promise<void>;
  /** Default: an answer of more than 1 MB is an error. */
  largeAnswers?: LargeAnswers;
}

/** What to run. */
export interface StartOptions {
  /** Chosen by the host, of letters, digits, `_` and `-`: where there is such a run already, that one is given. */
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
   * `propose`: calls of tools with a `standIn` are not made while the script runs. It gets the stand-ins, and at its end the
   * run waits for one yes or no to all of these calls. Then they are made in their order. Default: `make`.
   */
  writes?: 'make' | 'propose';
  /** After that time a run that has not ended is `expired`. Default: never. */
  expiresAt?: Date;
}

/** Where to fork a run, and what is different from there. */
export interface ForkOptions {
  /** The call that was answered. */
  call: number;
  /** What the script gets in place of the answer. */
  answer: { value: unknown } | { error: { name: string; message: string; code?: string } };
  /** Of the new run, as in `startRun`. */
  id?: string;
  /** Who changes the answer, for the audit. */
  by?: string;
}

/** A call of a run. */
export interface RunCall {
  /** Counts up from 1 in the run. */
  id: number;
  tool: string;
  /** The arguments, as the script gave them; a tool gets the first one. */
  args: SandboxValue[];
  /** Where the script calls it, from 1, where the engine can tell. */
  line?: number;
  /** Likewise, in UTF-16 code units. */
  column?: number;
  /** The same for one call, however often it is made. */
  key: string;
  state: CallState;
  /** Of a call that waits for an approval: what `remember` would keep. */
  rule?: unknown;
}

/** What is known of a call afterwards. */
export interface AuditRecord {
  id: number;
  tool: string;
  /** The arguments, as the script gave them. */
  args: SandboxValue[];
  key: string;
  state: CallState;
  begunAt: Date;
  /** How it came to be made or not: `asked` while nobody has decided. Absent where nothing had to be decided. */
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
  /** The JSON of what the tool gave. */
  answerBytes?: number;
  /** Its SHA-256, in hex. */
  answerHash?: string;
  /** As the tool declared it. */
  cost?: number;
}

/** Why a run failed, or cannot go on. */
export interface RunProblem {
  /** That of a `SandboxError` or a `RunError`. */
  code: string;
  message: string;
  details: Record<string, unknown>;
}

/** A run as it stands. */
export interface Run {
  id: string;
  state: RunState;
  /** How many segments it has run. */
  step: number;
  /** What it waits for; empty in any other state. */
  waitsFor: WaitsFor[];
  /** Its calls that the script has no answer to yet, and those that it proposes. */
  calls: RunCall[];
  /** Of a run that completed, or whose script has ended with a proposal. */
  value?: SandboxValue;
  /** Of a run that failed, or that waits to be started again. */
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

/** All calls of a proposal are made in their order, up to the first that fails; or none of them, and the run fails. */
export type DecisionOnProposal = { proposal: 'approve' } | { proposal: 'deny'; why?: string };

export type DecisionOnCall =
  /** Of a call that is answered from outside; of one whose outcome is unknown: it was done, and gave this. */
  | CallAnswer
  /**
   * `remember` keeps the rule that is shown with the call: for this run, or also for others, by `onAlways`. Other calls that
   * wait are decided by it, too.
   */
  | { id: number; approve: true; remember?: 'run' | 'always' }
  /** The script can catch the denial. */
  | { id: number; deny: string }
  /** Of a call whose outcome is unknown: it was not done, and the script can catch that; or make it once more. */
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
   * @throws {SandboxError} what kept the run from going on, such as `sidecar_unavailable`; the run stays, for `recover`
   */
  startRun(options: StartOptions): Promise<Run>;
  /**
   * Applies decisions, and goes on. Each is applied once: another one on the same call is `not_pending`.
   *
   * @throws {RunError} `not_found`, `ended`, `not_pending`, `wrong_decision`
   * @throws {SandboxError} as `startRun`, and `snapshot_refused`
   */
  resume(id: string, decisions: readonly Decision[]): Promise<Run>;
  /**
   * Applies decisions as `resume` does, and leaves it to whoever calls `recover` to go on: for a host without the tools' work,
   * such as a command beside a server.
   *
   * @throws {RunError} `not_found`, `ended`, `not_pending`, `wrong_decision`
   */
  decide(id: string, decisions: readonly Decision[]): Promise<Run>;
  /**
   * Starts the script again from its first line, and gives it the answers of the ledger: no call that was answered is made
   * again. For a run whose snapshot can no longer be opened.
   *
   * @throws {RunError} `not_found`, `ended`, `wrong_decision` while the outcome of a call is unknown
   */
  restart(id: string): Promise<Run>;
  /**
   * Starts a new run with the script and the answers of another, of which one is changed. Calls that the script had made
   * before it got that answer are not made again. What it does from there on is new: calls are ruled on and made.
   *
   * @throws {RunError} `not_found`, `not_pending` for a call without an answer, `wrong_decision` while the outcome of an earlier
   *   call is unknown, `invalid_request`
   */
  fork(id: string, options: ForkOptions): Promise<Run>;
  /** @throws {RunError} `not_found` */
  get(id: string): Promise<Run>;
  /** What a run was started with: for whoever decides on its calls. @throws {RunError} `not_found` */
  script(id: string): Promise<string>;
  /** All calls of a run: who decided on each, what went in, the hash of what came out. @throws {RunError} `not_found` */
  audit(id: string): Promise<AuditRecord[]>;
  /** The newest first. */
  list(filter?: { states?: readonly RunState[]; limit?: number }): Promise<Run[]>;
  /** Ends a run for good; its calls under way are aborted. @throws {RunError} `not_found`, `ended` */
  cancel(id: string): Promise<Run>;
  /** Deletes a run with its calls and answers; one that has not ended is cancelled. @throws {RunError} `not_found` */
  remove(id: string): Promise<void>;
  /** What happens to a run on this host from now on, until it has ended or the loop is left. */
  events(id: string): AsyncIterable<RunEvent>;
  /**
   * Goes on with all runs that no host works on: after a start, and now and then where several hosts share a store. Runs that
   * have expired are ended.
   */
  recover(): Promise<Run[]>;
  /** Stops working. What is under way is finished by whoever recovers it. */
  close(): Promise<void>;
}

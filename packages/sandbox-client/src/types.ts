import type {
  ConsoleLevel,
  CrashReason,
  Diagnostic,
  EngineChoice,
  EngineInfo,
  EngineName,
  ErrorCode,
  HostError,
  LimitOptions,
  RunProfile,
  RunSpent,
  RunStats,
  RunWarning,
  SandboxValue,
  ScopeOptions,
} from '@mustard-sandbox/protocol';
import type { OutputsOption } from './outputs/options.ts';
import type { SavedOutput } from './outputs/run-outputs.ts';

/** A function of the host that a script may call by name. What it returns or throws crosses into the script. */
export type HostHandler = (...args: SandboxValue[]) => unknown;

/** A host function, with a time limit other than 30 s if it needs one. */
export type HostFunction = HostHandler | { handler: HostHandler; timeoutMs?: number };

/** One call of `run`. */
export interface RunOptions {
  /** JavaScript. Its value is that of the last statement, or of a `return`. */
  script: string;
  /** Each key becomes a global variable of the script. */
  inputs?: Record<string, unknown>;
  /** What the script may read. Default: nothing. */
  scope?: ScopeOptions;
  /** Host functions by name. Each becomes a global function of the script. */
  hostFunctions?: Record<string, HostFunction>;
  /** Limits of this run. A limit that is left out has the value of the sandbox. */
  limits?: LimitOptions;
  /** The engine for this run. Default: the engine of the sandbox. */
  engine?: EngineChoice;
  /** Aborting it ends the run with `cancelled`, at the latest after the grace period. */
  signal?: AbortSignal;
  /** Whether to measure each call of a capability, to see where time and instructions went. Default: no. */
  profile?: boolean;
  /**
   * Where the script keeps files by `save`, instead of the folder of the sandbox: a folder, or `{ folder, maxBytes,
   * maxFiles }`. Later scripts with the same folder can read the files if it lies in the `roots`.
   */
  outputs?: OutputsOption;
  /** Called when a process takes the run. `queueMs` is how long the run waited for it, in ms. */
  onStart?: (facts: { sidecar: number; queueMs: number }) => void;
  /** Called for each console line, while the script runs. */
  onConsole?: (line: { level: ConsoleLevel; text: string }) => void;
  /**
   * Called up to 20 times a second while a script of more than some milliseconds runs, with what it has used and read so far. A
   * server of `connectSandbox` and a fleet do not tell.
   */
  onProgress?: (spent: RunSpent) => void;
}

/** What a script returned, and what the run cost. */
export interface RunResult extends RunStats {
  /** The value of the script. */
  value: SandboxValue;
  /** The engine that ran it. */
  engine: EngineName;
  /** Names of the attachments that `read_file` read from, in order of the first read; at most 1,000. */
  attachmentsRead: string[];
  /**
   * Warnings that the value may differ from the meaning of the script in JavaScript, or was converted so that it could
   * leave the script.
   */
  warnings: RunWarning[];
  /** How long the run waited for a process, in ms. */
  queueMs: number;
  /**
   * The files that the script has saved. If a run fails after it saved some, its error has them in `details.outputs`.
   */
  outputs?: SavedOutput[] | undefined;
  /**
   * The measurements of a run with `profile`. If the run fails in its sidecar, the error has them in `details.profile`.
   */
  profile?: RunProfile | undefined;
}

/** One call of `runSegment`. */
export interface SegmentOptions extends Omit<RunOptions, 'hostFunctions' | 'profile' | 'outputs'> {
  /** Names of the host functions that the script may call and must await. The caller answers them between segments. */
  hostFunctions?: readonly string[];
  /**
   * Where the run continues: the snapshot of the previous segment, and answers to at least one of its calls, in the
   * order in which the script gets them. All other options must be the same as before, except that limits may be
   * higher. Leave out `inputs`, because the snapshot holds them.
   */
  from?: { snapshot: Uint8Array; answers: readonly CallAnswer[] };
}

/** The answer to a call: the value that the host function returned, or an error that the script can catch. */
export type CallAnswer = { id: number; value: unknown } | { id: number; error: HostError };

/** A call that a script waits for. */
export interface WaitingCall {
  /** Counts up from 1 through the whole run. */
  id: number;
  name: string;
  args: SandboxValue[];
  /**
   * The line of the call in the script, from 1. Absent when MustardScript cannot tell it, in scripts with several
   * calls.
   */
  line?: number | undefined;
  /** The column of the call, from 1, in UTF-16 code units. Absent when `line` is absent. */
  column?: number | undefined;
}

/** What the results of a segment and of a run have in common. The numbers count from the start of the run. */
export type SegmentFacts = Omit<RunResult, 'value' | 'profile' | 'outputs'>;

/** How a segment ended. */
export type SegmentResult =
  | ({ state: 'completed'; value: SandboxValue } & SegmentFacts)
  | ({
      state: 'waiting';
      /** All calls that the script waits for, in the order in which it made them. */
      calls: WaitingCall[];
      /**
       * The waiting run. Give it to `from` of the next segment, in this process or in another one with the same version
       * of the engine. It is neither encrypted nor signed, and a sidecar trusts it. So seal it, or keep it where nobody
       * else can write.
       */
      snapshot: Uint8Array;
      /** The version of the engine. No other version can continue from the snapshot. */
      engineVersion: string;
    } & SegmentFacts);

/**
 * State of the whole sandbox. `idle`: it has no process. `backing_off`, `unavailable`: its processes keep dying at
 * their start.
 */
export type SupervisorState = 'idle' | 'running' | 'backing_off' | 'unavailable' | 'closed';
/** State of one process. */
export type SidecarState = 'starting' | 'ready' | 'busy' | 'stopping' | 'exited';

/** All events by name, each with its facts. */
export interface SandboxEvents {
  /** A process was started. In a jail by bubblewrap the sidecar's pid is known when it is `ready`. */
  spawned: { sidecar: number; pid: number | undefined; isolation: 'process' | 'jail' };
  /** A process has started and waits for runs. `startMs`: how long the start took. */
  ready: { sidecar: number; pid: number | undefined; startMs: number };
  /** A run began in a process. `queueMs`: how long the run had waited for it. */
  run_started: { sidecar: number; runId: string; queueMs: number };
  /** A run ended, with a result or with an error of that `code`. `durationMs`: the time since it began. */
  run_settled: { sidecar: number; runId: string; ok: boolean; code?: ErrorCode; durationMs: number };
  /** The process ended by itself, during a run or while idle. */
  crashed: { sidecar: number; pid: number | undefined; reason: CrashReason; duringRun: boolean; message: string };
  /** The client killed it. `unresponsive`: it did not answer a ping while idle, and its run went to another process. */
  killed: {
    sidecar: number;
    pid: number | undefined;
    why: 'deadline' | 'cancelled' | 'closed' | 'protocol_error' | 'start_timeout' | 'unresponsive';
  };
  /**
   * The process was ended on purpose. `idle`, `runs` and `memory`: it was idle for long, old or large. `roots`: a root in
   * its jail was replaced by another file or folder of the same name. `no_jail`: it was not ready, and no jail is possible
   * here. `jail`: it has no jail, and now one is possible. `suspect`: a script that took down another process must run in
   * a fresh one.
   */
  retired: {
    sidecar: number;
    pid: number | undefined;
    why: 'idle' | 'runs' | 'memory' | 'roots' | 'no_jail' | 'jail' | 'suspect';
  };
  /**
   * With `isolation: 'auto'`, sidecars start without a jail because of `reason`. The next attempt is after `retryMs`.
   * The event comes again when the reason changes. If nobody listens, the process warns once.
   */
  isolation_degraded: { reason: string; retryMs: number };
  /** A process died at its start or while idle. The next one starts after `delayMs`. */
  backing_off: { delayMs: number; failures: number; message: string };
  /** Processes keep dying, so runs fail at once with `sidecar_unavailable` for the next `untilMs`. */
  unavailable: { untilMs: number; message: string };
  /** A process has started after a time in which none could. */
  recovered: Record<string, never>;
  /** A script took sidecars down `crashes` times, and is refused from now on. */
  quarantined: { scriptHash: string; crashes: number };
}

/** The present state of a sandbox, and its counts. */
export interface SandboxStats {
  state: SupervisorState;
  processes: { sidecar: number; pid: number | undefined; state: SidecarState; runs: number; residentBytes: number }[];
  /** Runs that wait for a process. */
  queued: number;
  /** How sidecars are confined. `active` is known after the first start. `by` names what makes the jail. */
  isolation: {
    requested: 'process' | 'jail' | 'auto';
    active: 'process' | 'jail' | undefined;
    by?: string;
    /** Why there is no jail, and what to do about it. */
    reason?: string;
    /** Present when a jail was wanted but could not be made, for a reason that may pass. The sandbox tries again. */
    degraded?: true;
  };
  /** Counts since the sandbox was created. */
  totals: {
    runs: number;
    succeeded: number;
    failed: number;
    crashes: number;
    kills: number;
    spawns: number;
    retired: number;
  };
  /** How long runs waited for a process, in ms, over the last 1,000 runs. */
  queueMs: { p50: number; p99: number; max: number };
  /** How many scripts are refused because they took sidecars down. */
  quarantinedScripts: number;
  /** The engine MustardScript, and whether it works on this machine. Known once a sidecar has started. QuickJS always works. */
  engine: EngineInfo | undefined;
}

/** A place to run scripts in; made by `createSandbox`. `await using` closes it. */
export interface Sandbox extends AsyncDisposable {
  /**
   * Runs one script in a sidecar.
   *
   * @throws {SandboxError} everything that can go wrong, by `code`; the promise always settles
   */
  run(options: RunOptions): Promise<RunResult>;
  /**
   * Compiles a script without running it. Returns the errors of the compiler; the list is empty for a script that
   * compiles.
   *
   * @param options.engine the engine that would run it. Default: the engine of the sandbox
   */
  validate(script: string, options?: Pick<RunOptions, 'engine'>): Promise<Diagnostic[]>;
  /** Starts a sidecar, so that the first run does not wait for it. Returns whether the engine MustardScript works there. */
  warm(): Promise<EngineInfo>;
  /** Its state and its counts at this moment. */
  stats(): SandboxStats;
  /** Calls `listener` for each event until the returned function is called. */
  on<E extends keyof SandboxEvents>(event: E, listener: (facts: SandboxEvents[E]) => void): () => void;
  /** Ends every sidecar. Runs that are pending fail with `closed`. May be called more than once. */
  close(): Promise<void>;
}

/** A sandbox on this machine: its runs can also be made of segments, between which they wait without a process. */
export interface LocalSandbox extends Sandbox {
  /**
   * Runs a script until it ends, or until it can do nothing but wait for its host functions.
   *
   * @throws {SandboxError} like `run`; `cannot_freeze` for a script that would have to wait where it cannot be frozen,
   * such as
   *   at a call without `await`; `snapshot_refused` for a snapshot that is damaged, of another script or of another
   *   version of
   *   the engine, or whose file has changed during a loop over its lines
   */
  runSegment(options: SegmentOptions): Promise<SegmentResult>;
}

import type {
  ConsoleLevel,
  CrashReason,
  Diagnostic,
  EngineChoice,
  EngineInfo,
  EngineName,
  ErrorCode,
  LimitOptions,
  RunProfile,
  RunWarning,
  RunStats,
  SandboxValue,
  ScopeOptions,
} from '@mustard-sandbox/daemon/protocol';

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
  /** Host functions by name; each becomes a global function of the script. */
  hostFunctions?: Record<string, HostFunction>;
  /** Limits of this run. A limit that is left out is that of the sandbox. */
  limits?: LimitOptions;
  /** Which engine runs it. Default: what the sandbox was created with. */
  engine?: EngineChoice;
  /** Aborting it ends the run with `cancelled`, at the latest after the grace period. */
  signal?: AbortSignal;
  /** Whether to measure each call of a capability, to see where time and instructions went. Default: no. */
  profile?: boolean;
  /** Called when a process takes the run. `queueMs`: how long the run waited for it. */
  onStart?: (facts: { sidecar: number; queueMs: number }) => void;
  /** Called for each console line, while the script runs. */
  onConsole?: (line: { level: ConsoleLevel; text: string }) => void;
}

/** What a script returned, and what the run cost. */
export interface RunResult extends RunStats {
  /** The value of the script. */
  value: SandboxValue;
  /** The engine that ran it. */
  engine: EngineName;
  /** Names of the attachments that `read_file` read from, in order of the first read; at most 1,000. */
  attachmentsRead: string[];
  /** What a caller should know of the value: where it may differ from what the script means in JavaScript, or was converted to leave. */
  warnings: RunWarning[];
  /** How long the run waited for a process, in ms. */
  queueMs: number;
  /**
   * The measurements of a run with `profile`. If the run fails in its sidecar, the error has them in `details.profile`.
   */
  profile?: RunProfile | undefined;
}

/**
 * State of the whole sandbox. `idle`: no process. `backing_off`, `unavailable`: processes keep dying at their start.
 */
export type SupervisorState = 'idle' | 'running' | 'backing_off' | 'unavailable' | 'closed';
/** State of one process. */
export type SidecarState = 'starting' | 'ready' | 'busy' | 'stopping' | 'exited';

/** Everything that happens, by name, with its facts. */
export interface SandboxEvents {
  /** A process was started. In a jail by bubblewrap the sidecar's pid is known when it is `ready`. */
  spawned: { sidecar: number; pid: number | undefined; isolation: 'process' | 'jail' };
  ready: { sidecar: number; pid: number | undefined; startMs: number };
  run_started: { sidecar: number; runId: string; queueMs: number };
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
   * With `isolation: 'auto'`: sidecars start without a jail, for `reason`. The next attempt is after `retryMs`. The event
   * comes again when the reason changes. Without a listener, the process warns once.
   */
  isolation_degraded: { reason: string; retryMs: number };
  backing_off: { delayMs: number; failures: number; message: string };
  unavailable: { untilMs: number; message: string };
  recovered: Record<string, never>;
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
    /** A jail was wanted and could not be made, for a reason that may pass. It is tried again. */
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
  /** Time that runs waited for a process, in ms, over the last 1,000 runs. */
  queueMs: { p50: number; p99: number; max: number };
  quarantinedScripts: number;
  /** MustardScript, and whether this machine has it; QuickJS is always there. Known after a sidecar has answered. */
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
   * The errors of the compiler; an empty list for a script that compiles. Runs nothing.
   *
   * @param options.engine the engine that is to run it. Default: what the sandbox was created with
   */
  validate(script: string, options?: Pick<RunOptions, 'engine'>): Promise<Diagnostic[]>;
  /** Starts a sidecar, so that the first run does not wait for it. Returns what engine it found. */
  warm(): Promise<EngineInfo>;
  /** A snapshot of its state and its counts. */
  stats(): SandboxStats;
  /** Calls `listener` for each event until the returned function is called. */
  on<E extends keyof SandboxEvents>(event: E, listener: (facts: SandboxEvents[E]) => void): () => void;
  /** Ends every sidecar; pending calls settle with `closed`. May be called again. */
  close(): Promise<void>;
}

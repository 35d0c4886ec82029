import type {
  ConsoleLevel,
  CrashReason,
  Diagnostic,
  EngineInfo,
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

/** A host function, with a time of its own when 30 s do not fit. */
export type HostFunction = HostHandler | { handler: HostHandler; timeoutMs?: number };

/** One call of `run`. */
export interface RunOptions {
  /** MustardScript; its value is that of the last statement, or of a `return` at the end. */
  script: string;
  /** Each key becomes a global variable of the script. */
  inputs?: Record<string, unknown>;
  /** What the script may read. Default: nothing. */
  scope?: ScopeOptions;
  /** Host functions by name; each becomes a global function of the script. */
  hostFunctions?: Record<string, HostFunction>;
  /** Limits of this run; what is left out is that of the sandbox. */
  limits?: LimitOptions;
  /** Aborting it ends the run with `cancelled`, at the latest after the grace period. */
  signal?: AbortSignal;
  /** Whether to measure every capability call: where the time and the instructions went. Default: no. */
  profile?: boolean;
  /** Called when a process takes up the run; `queueMs` is how long it had to wait for one. */
  onStart?: (facts: { sidecar: number; queueMs: number }) => void;
  /** Called for each console line of the script, as it happens. */
  onConsole?: (line: { level: ConsoleLevel; text: string }) => void;
}

/** What a script gave back, and what that cost. */
export interface RunResult extends RunStats {
  /** The value of the script. */
  value: SandboxValue;
  /** Names of the attachments that `read_file` read from, in order of the first read; at most 1,000. */
  attachmentsRead: string[];
  /** Where the value may differ from what the script means in JavaScript; empty for nearly all. */
  warnings: RunWarning[];
  /** How long the run waited for a process, in ms. */
  queueMs: number;
  /** Of a run with `profile`. A run that fails in its sidecar has it in the error's `details.profile`. */
  profile?: RunProfile | undefined;
}

/** State of the whole sandbox. `idle`: no process. `backing_off`, `unavailable`: processes keep dying at their start. */
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
  /** The process ended by itself, in a run or out of one. */
  crashed: { sidecar: number; pid: number | undefined; reason: CrashReason; duringRun: boolean; message: string };
  /** The client killed it. `unresponsive`: idle, it did not answer; the run went to another. */
  killed: {
    sidecar: number;
    pid: number | undefined;
    why: 'deadline' | 'cancelled' | 'closed' | 'protocol_error' | 'start_timeout' | 'unresponsive';
  };
  /**
   * Ended because it was idle, old or large; because the roots that its jail holds were replaced by others of the same
   * name; before it was ready, because there can be no jail here (`no_jail`); because it is in none, and by now there
   * is one (`jail`); or because it was used, and a script that took another down is to run in a fresh one (`suspect`).
   */
  retired: {
    sidecar: number;
    pid: number | undefined;
    why: 'idle' | 'runs' | 'memory' | 'roots' | 'no_jail' | 'jail' | 'suspect';
  };
  /**
   * With `isolation: 'auto'`: a jail was to be, and for `reason` there is none, so sidecars start without. Tried again
   * after `retryMs`; told again when the reason is another one. Where nobody listens the process warns, once.
   */
  isolation_degraded: { reason: string; retryMs: number };
  backing_off: { delayMs: number; failures: number; message: string };
  unavailable: { untilMs: number; message: string };
  recovered: Record<string, never>;
  quarantined: { scriptHash: string; crashes: number };
}

/** What a sandbox is doing, and has done. */
export interface SandboxStats {
  state: SupervisorState;
  processes: { sidecar: number; pid: number | undefined; state: SidecarState; runs: number; residentBytes: number }[];
  /** Runs that wait for a process. */
  queued: number;
  /** How sidecars are confined. `active` is known once one was started, `by` names what makes a jail. */
  isolation: {
    requested: 'process' | 'jail' | 'auto';
    active: 'process' | 'jail' | undefined;
    by?: string;
    /** Why there is no jail, and what to do about it. */
    reason?: string;
    /** There is none though there should be one, for a reason that may pass: it is tried again. */
    degraded?: true;
  };
  /** Since creation. */
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
  /** Known once a sidecar has answered. */
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
  /** What the compiler objects to; an empty list for a script that compiles. Nothing is run. */
  validate(script: string): Promise<Diagnostic[]>;
  /** Has a sidecar started, so that the first run need not wait. Says what engine it found. */
  warm(): Promise<EngineInfo>;
  /** A snapshot of its state and its counts. */
  stats(): SandboxStats;
  /** Calls `listener` for each event until the returned function is called. */
  on<E extends keyof SandboxEvents>(event: E, listener: (facts: SandboxEvents[E]) => void): () => void;
  /** Ends every sidecar; pending calls settle with `closed`. May be called again. */
  close(): Promise<void>;
}

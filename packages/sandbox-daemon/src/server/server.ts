import type { Engines } from '../engine/engines.ts';
import {
  builtinNames,
  createConnection,
  limitTable,
  messageOf,
  protocolVersion,
  SandboxError,
  type CancelSignal,
  type Connection,
  type Params,
  type Result,
} from '@mustard-sandbox/protocol';
import { consoleFunctions } from './console.ts';
import type { Logger } from './logger.ts';
import { aside } from '../files/aside/aside.ts';
import { collectLeftovers, residentBytes, settleMemorySoon } from './memory.ts';
import type { HostLine } from './host-function-calls.ts';
import { PatientReader } from './patient-reader.ts';
import { runScript, type RunEnvironment, type RunParams } from './run.ts';
import { runSegment, type SegmentParams } from './segment.ts';
import type { StandardInput, StandardOutput } from './stdio.ts';
import type { ProcessWatchdog } from './watchdog.ts';

export interface ServerOptions {
  input: StandardInput;
  output: StandardOutput;
  version: string;
  engines: Engines;
  watchdog: ProcessWatchdog;
  logger: Logger;
  /**
   * Ends the process. Called once: with 0 after `exit` or the end of input, otherwise with the code for the failure.
   */
  end(exitCode: number): void;
}

const drainMs = 20;

/** After this many idle ms a sidecar prepares for the next run. */
const idleMs = 50;

/** Exit codes of the sidecar other than 0, from sysexits.h. */
export const exitCodes = {
  /** The sidecar was started by hand, with arguments or with a terminal as its stdin. It writes its usage to stderr. */
  usage: 64,
  /** A bug in the sidecar. Its stack is on stderr. */
  software: 70,
  /** The machine lacks something that the sidecar needs, such as a thread. It is named on stderr. */
  machine: 71,
  /** The client sent something that is not a message of this protocol. It is described on stderr. */
  protocol: 76,
} as const;

/** Speaks the protocol on `input` and `output` until it is told to end. */
export class Server {
  readonly #options: ServerOptions;
  readonly #connection: Connection;
  #initialized = false;
  #shutDown = false;
  #running: Promise<void> | undefined;
  #roots: readonly string[] | undefined;
  #tellsProgress = false;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#connection = createConnection(options.input, options.output);
  }

  listen(): void {
    const connection = this.#connection;
    connection.onRequest('initialize', (params) => this.#initialize(params));
    connection.onRequest('sandbox/run', (params, signal) => this.#run(params, signal));
    connection.onRequest('sandbox/runSegment', (params, signal) => this.#runSegment(params, signal));
    connection.onRequest('sandbox/validate', async ({ script, engine }) => {
      this.#assertReady();
      const names = { builtins: [...builtinNames, ...consoleFunctions], hostFunctions: [] };
      return { diagnostics: await this.#options.engines.validate(script, engine, names) };
    });
    connection.onRequest('ping', () => ({}));
    connection.onRequest('shutdown', () => {
      this.#shutDown = true;
      return {};
    });
    connection.onNotification('exit', () => this.#options.end(0));
    // Earlier messages may still be in the queue of the connection, which handles one in each turn of the event loop.
    connection.onClose(() => setTimeout(() => this.#options.end(0), drainMs));
    connection.onViolation((error) => {
      this.#options.logger.error(error.message);
      this.#options.end(exitCodes.protocol);
    });
    connection.listen();
  }

  #initialize(params: Params<'initialize'>): Result<'initialize'> {
    if (this.#initialized) throw new SandboxError('protocol_error', 'initialize was already called.');
    const { engines, logger, version, watchdog } = this.#options;
    logger.setLevel(params.logLevel);
    const { hostPid, maxResidentBytes, graceMs } = params;
    watchdog.start({ hostPid, maxResidentBytes, graceMs }, (error) => {
      logger.error(`the machine has no thread for the watchdog: ${messageOf(error)}`);
      this.#options.end(exitCodes.machine);
    });
    this.#roots = params.roots;
    this.#tellsProgress = params.progress === true;
    this.#initialized = true;
    settleMemorySoon();
    logger.info(`initialized for ${params.client.name} ${params.client.version}`);
    if (!engines.mustardScript.available) logger.info(engines.mustardScript.reason ?? 'MustardScript is not available');
    // This is not done at once, because a client that starts a sidecar for one script sends the script now, and the
    // script may need none of it.
    setTimeout(() => engines.prepareNext(), idleMs).unref();
    return {
      protocolVersion,
      server: { name: 'mustard-sandbox-daemon', version },
      pid: process.pid,
      engine: engines.mustardScript,
      limits: pick('default'),
      ceilings: pick('ceiling'),
    };
  }

  async #run(params: RunParams, signal: CancelSignal): Promise<Result<'sandbox/run'>> {
    return await this.#alone(params.runId, signal, (environment) => runScript(params, environment));
  }

  async #runSegment(params: SegmentParams, signal: CancelSignal): Promise<Result<'sandbox/runSegment'>> {
    return await this.#alone(params.runId, signal, (environment) => runSegment(params, environment));
  }

  /** Runs one script after the present run. */
  async #alone<T extends object>(
    runId: string,
    signal: CancelSignal,
    run: (environment: RunEnvironment) => Promise<T>,
  ): Promise<T & { residentBytes: number }> {
    this.#assertReady();
    // A run may arrive while the previous one waits for its instance.
    while (this.#running !== undefined) await this.#running;
    let settle = (): void => {};
    this.#running = new Promise((resolve) => (settle = resolve));
    const { logger } = this.#options;
    logger.debug(`run ${runId}: begins`);
    try {
      const outcome = await run(this.#environmentOf(runId, signal));
      collectLeftovers(false);
      return { ...outcome, residentBytes: residentBytes() };
    } catch (error) {
      const left = collectLeftovers(true);
      if ((left !== undefined || aside.hasDuckDB) && error instanceof SandboxError) {
        error.details.residentBytes = residentBytes();
      }
      throw error;
    } finally {
      logger.debug(`run ${runId}: is over`);
      settleMemorySoon();
      // The answer is written some microtasks later, and the next run begins after that. So when a sidecar dies, the
      // client knows from the answers which run it was doing.
      setImmediate(() => {
        this.#running = undefined;
        settle();
        this.#options.engines.prepareNext();
      });
    }
  }

  #environmentOf(runId: string, signal: CancelSignal): RunEnvironment {
    return {
      engines: this.#options.engines,
      watchdog: this.#options.watchdog,
      roots: this.#roots,
      signal,
      read: () => this.#options.input.readNow(),
      line: this.#lineOf(runId),
      console: (level, text) => this.#connection.notify('sandbox/console', { runId, level, text }),
      ...(this.#tellsProgress && {
        progress: (spent) => this.#connection.notify('sandbox/progress', { runId, spent }),
      }),
    };
  }

  /** Connects one run with the functions of its host. */
  #lineOf(runId: string): HostLine {
    const method = 'sandbox/callHostFunction';
    const reader = new PatientReader(this.#options.input);
    return {
      send: (name, args, executionMs) => this.#connection.ask(method, { runId, name, args, executionMs }),
      next: (ids, look) => {
        reader.begin();
        for (;;) {
          const found = this.#connection.answerTo(method, ids);
          if (found !== undefined) return { id: found.id, answer: found.result };
          reader.read();
          look();
        }
      },
    };
  }

  #assertReady(): void {
    if (!this.#initialized) throw new SandboxError('protocol_error', 'initialize must be the first request.');
    if (this.#shutDown) throw new SandboxError('closed', 'The sidecar is shutting down.');
  }
}

function pick(column: 'default' | 'ceiling'): Record<string, number> {
  return Object.fromEntries(Object.entries(limitTable).map(([option, row]) => [option, row[column]]));
}

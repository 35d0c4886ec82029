import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { basename } from 'node:path';
import {
  BusyPolling,
  createConnection,
  decodeValue,
  isBrokenPipe,
  protocolVersion,
  quote,
  SandboxError,
  toSandboxError,
  type Connection,
  type Diagnostic,
  type EngineInfo,
  type Params,
  type ParamsIn,
  type RequestMethod,
  type Result,
} from '@mustard-sandbox/daemon/protocol';
import type { Events } from './events.ts';
import { crashReason, StderrTail, type Exit } from './exit-cause.ts';
import { exitError, killError, type KillCause } from './exit-error.ts';
import { exitInside, killInside, pidInside } from './isolation/bubblewrap.ts';
import type { Isolation } from './isolation/isolation.ts';
import type { Jail } from './isolation/jail.ts';
import { assertGiven } from './incoming.ts';
import { assertInstalled } from './isolation/own-files.ts';
import { launch, type Subprocess } from './launch.ts';
import type { ResolvedOptions } from './options.ts';
import type { RunRequest } from './run-request.ts';
import { Task } from './task.ts';
import type { RunResult, SandboxEvents, SidecarState } from './types.ts';

type RetireCause = SandboxEvents['retired']['why'];

/** A validation only compiles; this is for a compiler that hangs. */
const validateTimeoutMs = 2_000;
/** How long the pipes of a process that is gone may stay open. */
const drainMs = 100;
/** How long a process may take to end when told to. */
const stopMs = 1_000;

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/**
 * One sidecar process and the wire to it. It does one thing at a time. Whatever ends the process,
 * `#end` is where it is noticed, and the first reason given counts.
 */
export class Sidecar {
  readonly id: number;
  state: SidecarState = 'starting';
  pid: number | undefined;
  runs = 0;
  residentBytes = 0;
  idleSince = 0;
  /** Why the client ended it, if it did. */
  killedFor: KillCause | undefined;
  /** What made it end at start-up or while idle; such a death is the installation's fault. */
  failure: SandboxError | undefined;
  /** The failure would come again with every start. */
  hopeless = false;
  /** Settles when `initialize` has been answered. */
  readonly ready: Promise<EngineInfo>;
  /** Settles when the process is gone; never rejects. */
  readonly exited: Promise<void>;
  readonly #options: ResolvedOptions;
  readonly #events: Events;
  readonly #isolation: Isolation;
  readonly #stderr = new StderrTail();
  #markExited = (): void => {};
  #subprocess: Subprocess | undefined;
  #connection: Connection | undefined;
  #task: Pick<Task, 'incoming' | 'timeoutMs' | 'fail' | 'whilePaused'> | undefined;
  readonly #polling = new BusyPolling();
  #violation: SandboxError | undefined;
  /** It is gone, or as good as gone, even if its exit has not been noticed yet. */
  #pipeBroke = false;
  #jail: Jail | undefined;
  /** The roots as the jail holds them. */
  #rootsInJail: string | undefined;
  /** The jail did not let it start: nobody's failure, the next one goes without. */
  #refusedByJail = false;

  constructor(id: number, options: ResolvedOptions, events: Events, isolation: Isolation) {
    this.id = id;
    this.#options = options;
    this.#events = events;
    this.#isolation = isolation;
    this.exited = new Promise((resolve) => (this.#markExited = resolve));
    this.ready = this.#start();
    this.ready.catch(() => {});
  }

  /** Whether it can be given something to do. */
  get isFree(): boolean {
    return this.state === 'ready' && !this.#pipeBroke;
  }

  /** Whether its jail, if it has one, holds what is at the roots now. */
  get seesRoots(): boolean {
    return this.#isolation.identity(this.#jail) === this.#rootsInJail;
  }

  /** Runs one script. Settles exactly once, at the latest a grace period after deadline or abort. */
  async run(request: RunRequest): Promise<Omit<RunResult, 'queueMs'>> {
    this.runs++;
    try {
      const result = await this.#exclusively(request.timeoutMs, 'sandbox/run', request.params, request);
      const { value, residentBytes, attachmentsRead = [], ...stats } = result;
      this.residentBytes = residentBytes;
      return this.#judged(() => {
        assertGiven(attachmentsRead, request);
        return { value: decodeValue(value), attachmentsRead, ...stats };
      });
    } catch (error) {
      const { attachmentsRead = [] } = toSandboxError(error).details;
      this.#judged(() => assertGiven(attachmentsRead, request));
      throw error;
    }
  }

  /** What `check` makes of an answer; what it throws is a violation. */
  #judged<T>(check: () => T): T {
    try {
      return check();
    } catch (error) {
      this.#violated(toSandboxError(error));
      throw error;
    }
  }

  async validate(script: string): Promise<Diagnostic[]> {
    return (await this.#exclusively(validateTimeoutMs, 'sandbox/validate', { script })).diagnostics;
  }

  /** Ends the process now. What is under way fails at once, before the process is gone. */
  kill(why: KillCause): void {
    if (this.state === 'exited' || this.killedFor !== undefined) return;
    this.killedFor = why;
    // Idle, and yet it broke the protocol: like a death while idle.
    if (this.state === 'ready' && why === 'protocol_error') this.failure ??= this.#killError(0);
    this.state = 'stopping';
    this.#task?.fail(this.#killError(this.#task.timeoutMs));
    this.#events.emit('killed', { sidecar: this.id, pid: this.pid, why });
    this.#sendKill();
    // Whoever awaits `exited` must live to see it.
    this.#keepHostAlive(true);
  }

  /** Asks an idle process to end, and sees to it. */
  stop(why?: RetireCause): void {
    if (this.state === 'exited' || this.state === 'stopping') return;
    this.state = 'stopping';
    if (why !== undefined) this.#events.emit('retired', { sidecar: this.id, pid: this.pid, why });
    this.#connection?.notify('exit', {});
    this.#subprocess?.stdin.end();
    const timer = setTimeout(() => this.#sendKill(), stopMs);
    void this.exited.then(() => clearTimeout(timer));
  }

  #sendKill(): void {
    const subprocess = this.#subprocess;
    if (subprocess?.pid !== undefined && this.#jail?.monitored) void this.#endJail(subprocess, subprocess.pid);
    else subprocess?.kill('SIGKILL');
  }

  async #endJail(subprocess: Subprocess, pid: number): Promise<void> {
    if (!(await killInside(pid))) return void subprocess.kill('SIGKILL');
    const timer = setTimeout(() => subprocess.kill('SIGKILL'), stopMs);
    await this.exited;
    clearTimeout(timer);
  }

  async #start(): Promise<EngineInfo> {
    const startedAt = performance.now();
    const timer = setTimeout(() => this.kill('start_timeout'), this.#options.startTimeoutMs);
    try {
      await this.#enterJail();
      this.#attach(await this.#launch());
      const engine = await this.#initialize();
      if (this.#jail?.monitored) this.pid = pidInside(this.#subprocess?.pid as number);
      this.#isolation.proven(this.#jail);
      this.#events.emit('ready', { sidecar: this.id, pid: this.pid, startMs: performance.now() - startedAt });
      return engine;
    } catch (error) {
      const failure = toSandboxError(error, 'sidecar_unavailable');
      if (!this.#refusedByJail) this.failure ??= failure;
      // An answer that says no, such as another protocol version: the next process would say the same.
      if (this.state === 'starting' && this.#subprocess !== undefined) this.hopeless = true;
      if (this.#subprocess === undefined) this.#neverWas();
      else this.kill('protocol_error');
      throw failure;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @throws {SandboxError} `sidecar_unavailable` where the daemon is not there, or a jail is wanted and cannot be */
  async #enterJail(): Promise<void> {
    try {
      assertInstalled();
      this.#jail = await this.#isolation.jail();
    } catch (error) {
      this.hopeless = true;
      throw error;
    }
    // It was killed while the jail was looked for: nothing is to be started any more.
    if (this.killedFor !== undefined) throw this.#killError(0);
    this.#rootsInJail = this.#isolation.identity(this.#jail);
  }

  /** @throws {SandboxError} `sidecar_unavailable` */
  #launch(): Promise<Subprocess> {
    return new Promise((resolve, reject) => {
      const subprocess = launch(
        this.#options,
        { jail: this.#jail, roots: this.#isolation.roots },
        (error: NodeJS.ErrnoException) => {
          // What the machine is short of may come back; a command that is not there will not.
          this.hopeless = error.code === 'ENOENT' || error.code === 'EACCES';
          // Where it lies, the host knows; who else reads the message need not. `cause` has it.
          const message = `The sidecar could not be started: ${error.code} for the command ${quote(basename(error.path ?? ''))}`;
          reject(new SandboxError('sidecar_unavailable', message, { cause: error }));
        },
      );
      if (subprocess === undefined) return;
      // At once, so that a kill in this very turn finds it.
      this.#subprocess = subprocess;
      resolve(subprocess);
    });
  }

  #neverWas(): void {
    this.state = 'stopping';
    this.#end({ exitCode: undefined, signal: undefined, stderr: '' });
  }

  #attach(subprocess: Subprocess): void {
    // What is started in such a jail is not the sidecar, and nobody's to signal.
    if (!this.#jail?.monitored) this.pid = subprocess.pid;
    const isolation = this.#jail === undefined ? 'process' : 'jail';
    this.#events.emit('spawned', { sidecar: this.id, pid: this.pid, isolation });
    subprocess.stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk)).on('error', () => {});
    const connection = createConnection(subprocess.stdout, subprocess.stdin);
    this.#connection = connection;
    connection.onViolation((error) => this.#violated(error));
    connection.onRefusal(({ message }) => this.#violated(new SandboxError('protocol_error', message)));
    connection.onClose(() => this.#noticeBrokenPipe());
    connection.onRequest('sandbox/callCapability', (call) => this.#callHost(call));
    connection.onNotification('sandbox/console', (line) => {
      const { incoming } = this.#task ?? {};
      if (incoming === undefined) throw outOfRun('wrote to the console');
      incoming.console(line);
    });
    connection.listen();
    let timer: NodeJS.Timeout | undefined;
    subprocess.on('exit', () => {
      // Its last words may still be on their way. Not for long: a child of its own may hold the pipes.
      timer = setTimeout(() => {
        for (const stream of [subprocess.stdin, subprocess.stdout, subprocess.stderr]) stream.destroy();
      }, drainMs);
    });
    subprocess.on('close', (exitCode, signal) => {
      clearTimeout(timer);
      const stderr = this.#stderr.toString();
      const exit = { exitCode: exitCode ?? undefined, signal: signal ?? undefined, stderr };
      this.#end(this.#jail?.monitored ? exitInside(exit) : exit);
    });
  }

  async #initialize(): Promise<EngineInfo> {
    const { engine, protocolVersion: theirs } = await this.#perform(Infinity, undefined, (connection) =>
      connection.request('initialize', {
        protocolVersion,
        client: { name: '@mustard-sandbox/client', version },
        logLevel: this.#options.logLevel,
        // A command may put processes between this one and the sidecar. A jail does, and ends with its parent.
        ...(this.#options.command === undefined && !this.#jail?.monitored && { hostPid: process.pid }),
        maxResidentBytes: this.#options.memoryBytes,
        ...(this.#isolation.roots !== undefined && { roots: [...this.#isolation.roots] }),
      }),
    );
    if (theirs !== protocolVersion) {
      const message = `The sidecar speaks protocol version ${theirs}, this client version ${protocolVersion}. Install matching versions.`;
      throw new SandboxError('protocol_error', message);
    }
    this.state = 'ready';
    this.#keepHostAlive(false);
    return engine;
  }

  async #exclusively<M extends RequestMethod>(
    timeoutMs: number,
    method: M,
    params: ParamsIn<M>,
    request?: RunRequest,
  ): Promise<Result<M>> {
    const signal = request?.signal;
    // An abort between the lease and here: an aborted signal tells no listener any more.
    if (signal?.aborted) throw new SandboxError('cancelled', 'The run was cancelled before it began.');
    this.state = 'busy';
    this.#keepHostAlive(true);
    let graceTimer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      graceTimer = setTimeout(() => this.kill('cancelled'), this.#options.graceMs);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await this.#perform(timeoutMs, request, (connection) => connection.request(method, params, signal));
    } finally {
      clearTimeout(graceTimer);
      signal?.removeEventListener('abort', onAbort);
      if (this.state === 'busy') this.state = 'ready';
      this.#keepHostAlive(this.killedFor !== undefined);
    }
  }

  /** The answer, or the first reason why there will be none. */
  async #perform<T>(
    timeoutMs: number,
    request: RunRequest | undefined,
    send: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const task = new Task<T>(timeoutMs, this.#options.graceMs, request, () => this.kill('deadline'));
    this.#task = task;
    send(this.#connection as Connection).then(
      (answer) => task.succeed(answer),
      (error: unknown) => {
        if (!isBrokenPipe(error)) return task.fail(toSandboxError(error));
        // The exit, which is about to be noticed, says why.
        this.#noticeBrokenPipe();
      },
    );
    try {
      return await task.answer;
    } finally {
      this.#polling.stop();
      this.#task = undefined;
    }
  }

  async #callHost(call: Params<'sandbox/callCapability'>): Promise<Result<'sandbox/callCapability'>> {
    this.#polling.stop();
    try {
      const { incoming } = this.#task ?? {};
      if (this.#task === undefined || incoming === undefined) throw outOfRun(`called '${call.name}'`);
      return await this.#task.whilePaused((over) => incoming.call(call, over));
    } catch (error) {
      this.#violated(toSandboxError(error));
      throw error;
    } finally {
      // A script that called once often calls again soon.
      if (this.#task !== undefined) this.#polling.start();
    }
  }

  /** A process that ends closes its pipes first. One that only closed its output has no more use. */
  #noticeBrokenPipe(): void {
    if (this.#pipeBroke) return;
    this.#pipeBroke = true;
    const timer = setTimeout(() => this.kill('protocol_error'), stopMs);
    void this.exited.then(() => clearTimeout(timer));
  }

  #violated(error: SandboxError): void {
    if (isBrokenPipe(error)) return this.#noticeBrokenPipe();
    this.#violation ??= error;
    this.kill('protocol_error');
  }

  /** The process is gone. */
  #end(exit: Exit): void {
    if (this.state === 'exited') return;
    const outOfRun = this.state === 'starting' || this.state === 'ready';
    const byItself = this.state !== 'stopping';
    const jail = this.state === 'starting' ? this.#jail : undefined;
    this.#refusedByJail = jail !== undefined && this.#isolation.refused(jail, exit);
    const error = this.killedFor === undefined ? exitError(exit, this.state === 'busy') : this.#killError(0);
    this.state = 'exited';
    if (this.#refusedByJail) this.#events.emit('retired', { sidecar: this.id, pid: this.pid, why: 'no_jail' });
    else if (outOfRun || this.killedFor === 'start_timeout') this.failure ??= error;
    if (byItself && !this.#refusedByJail) {
      const { message } = error;
      this.#events.emit('crashed', {
        sidecar: this.id,
        pid: this.pid,
        reason: crashReason(exit),
        duringRun: !outOfRun,
        message,
      });
    }
    this.#task?.fail(error);
    this.#connection?.dispose();
    this.#markExited();
  }

  #killError(timeoutMs: number): SandboxError {
    const { startTimeoutMs } = this.#options;
    const stderr = this.#stderr.toString();
    return this.#violation ?? killError(this.killedFor as KillCause, { timeoutMs, startTimeoutMs, stderr });
  }

  /** An idle sidecar is no reason for the host to stay: it ends when its stdin does. */
  #keepHostAlive(busy: boolean): void {
    const subprocess = this.#subprocess;
    if (subprocess === undefined) return;
    const handles = [subprocess, ...([subprocess.stdin, subprocess.stdout, subprocess.stderr] as unknown as Socket[])];
    for (const handle of handles) {
      if (busy) handle.ref();
      else handle.unref();
    }
  }
}

function outOfRun(did: string): SandboxError {
  return new SandboxError('protocol_error', `The sidecar ${did} for a run that is not under way.`);
}

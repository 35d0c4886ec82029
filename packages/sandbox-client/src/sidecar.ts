import {
  decodeValue,
  SandboxError,
  toSandboxError,
  type Diagnostic,
  type ParamsIn,
  type RequestMethod,
  type Result,
  type SandboxValue,
} from '@mustard-sandbox/daemon/protocol';
import { assertFits, assertGiven } from './incoming.ts';
import type { RunRequest } from './run-request.ts';
import { SidecarLife } from './sidecar-life.ts';

/** The time of a validation. It only compiles, so a longer one means that the compiler hangs. */
const validateTimeoutMs = 2_000;
/** A process that has sent nothing for this long is pinged before it gets a script. */
const quietMs = 1_000;
/** How long it may take to answer the ping. */
const pingTimeoutMs = 1_000;

/** What a sidecar answered, checked. */
interface SidecarResult {
  answer: Result<'sandbox/run'>;
  /** Of the script, decoded. */
  value: SandboxValue;
  /** What came from the sidecar since the run began. */
  bytes: number;
}

/** One sidecar, and what it is asked: one task at a time. */
export class Sidecar extends SidecarLife {
  /** How many scripts it has run. */
  runs = 0;
  residentBytes = 0;
  /** It answered a ping right before its present task. */
  wasThere = false;

  /** Whether its present script is the first that it got. */
  get isFresh(): boolean {
    return this.runs <= 1;
  }

  /**
   * Whether it answers a ping, or has answered a moment ago. Otherwise a sidecar that was stopped while idle would use up
   * the time of a script, and the script would be blamed. A sidecar that does not answer is killed.
   */
  isThere(always: boolean): true | Promise<boolean> {
    this.wasThere = false;
    // No promise: with one, waiting for it would be a tenth of a small run.
    return (!always && performance.now() - this.wire.answeredAt < quietMs) || this.#answersPing();
  }

  async #answersPing(): Promise<boolean> {
    try {
      await this.#exclusively(pingTimeoutMs, 'ping', {});
      this.wasThere = true;
      return true;
    } catch {
      return false;
    }
  }

  /** Runs one script. Settles exactly once, at the latest a grace period after deadline or abort. */
  async run(request: RunRequest): Promise<SidecarResult> {
    this.runs++;
    const heardBefore = this.process.bytesRead;
    try {
      const answer = await this.#exclusively(request.timeoutMs, 'sandbox/run', request.params, request);
      this.residentBytes = answer.residentBytes;
      return this.#judged(() => {
        assertGiven(answer.attachmentsRead ?? [], request);
        const bytes = this.process.bytesRead - heardBefore;
        assertFits(answer.value, request, bytes);
        return { answer, value: decodeValue(answer.value), bytes };
      });
    } catch (error) {
      const { attachmentsRead = [], residentBytes } = toSandboxError(error).details;
      this.residentBytes = residentBytes ?? this.residentBytes;
      this.#judged(() => assertGiven(attachmentsRead, request));
      throw error;
    }
  }

  /** Returns what `check` makes of an answer. An error that it throws is a violation by the sidecar. */
  #judged<T>(check: () => T): T {
    try {
      return check();
    } catch (error) {
      this.violated(toSandboxError(error));
      throw error;
    }
  }

  async validate({ script, engine }: ParamsIn<'sandbox/validate'>): Promise<Diagnostic[]> {
    return (await this.#exclusively(validateTimeoutMs, 'sandbox/validate', { script, engine })).diagnostics;
  }

  async #exclusively<M extends RequestMethod>(
    timeoutMs: number,
    method: M,
    params: ParamsIn<M>,
    request?: RunRequest,
  ): Promise<Result<M>> {
    const signal = request?.signal;
    // The abort may have come between the lease and here. A signal that is already aborted calls no new listener.
    if (signal?.aborted) throw new SandboxError('cancelled', 'The run was cancelled before it began.');
    this.state = 'busy';
    this.process.keepHostAlive(true);
    let graceTimer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      graceTimer = setTimeout(() => this.kill('cancelled'), this.options.graceMs);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const why = method === 'ping' ? 'unresponsive' : 'deadline';
      const onOverdue = (): void => this.kill(why);
      return await this.wire.perform({ timeoutMs, request, onOverdue }, (connection) =>
        connection.request(method, params, signal),
      );
    } finally {
      clearTimeout(graceTimer);
      signal?.removeEventListener('abort', onAbort);
      if (this.state === 'busy') this.state = 'ready';
      this.process.keepHostAlive(this.killedFor !== undefined);
    }
  }
}

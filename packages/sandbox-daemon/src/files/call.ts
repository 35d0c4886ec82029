import { PathCall } from '@mustard-sandbox/paths';
import { builtinCallTimeoutMs, SandboxError, type ErrorDetails, type LimitName } from '@mustard-sandbox/protocol';
import { CallClock } from './call-clock.ts';

/** One call of a built-in: its clock and its possible errors. */
export class BuiltinCall extends PathCall {
  readonly #clock = new CallClock(builtinCallTimeoutMs);

  /** The error for something other than a path. @param why completes the sentence "<built-in>: …" */
  refused(why: string): SandboxError {
    return new SandboxError('capability_denied', `${this.name}: ${why}`, { details: this.details });
  }

  invalid(why: string, details: ErrorDetails = {}): SandboxError {
    return new SandboxError('invalid_request', why, { details: { ...details, ...this.details } });
  }

  /** @param actual the amount that the call would have reached */
  limitExceeded(
    limit: LimitName,
    value: number,
    actual: number,
    why: string,
    unit: 'bytes' | 'items' = 'bytes',
  ): SandboxError {
    return new SandboxError('limit_exceeded', `${this.name}: ${why}`, {
      details: { ...this.details, limit, value, unit, actual },
    });
  }

  /** @throws {SandboxError} `capability_timeout` once the call has computed for `builtinCallTimeoutMs` */
  checkTime(): void {
    if (!this.#clock.isOver()) return;
    throw new SandboxError(
      'capability_timeout',
      `${this.name}: ${this.shown} took longer than ${builtinCallTimeoutMs} ms. Ask for less at a time.`,
      { details: { ...this.details, limit: 'capability_ms', value: builtinCallTimeoutMs, unit: 'ms' } },
    );
  }

  /** Like `run`, for a body that returns a promise. */
  async runAsync<T>(body: () => Promise<T>): Promise<T> {
    try {
      return await body();
    } catch (error) {
      throw error instanceof SandboxError ? error : this.systemError(error);
    }
  }
}

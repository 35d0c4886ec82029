import {
  limitTable,
  maxConsoleBytes,
  maxConsoleLinesPerSecond,
  maxConsoleRunBytes,
  SandboxError,
  type Notice,
  type Params,
  type Result,
} from '@mustard-sandbox/daemon/protocol';
import { callSafely } from './events.ts';
import type { RunRequest } from './run-request.ts';

/**
 * What a sidecar sends of its own accord, judged against the run that is under way. The script may have taken the
 * sidecar over, so nothing is taken on trust: not whose run it is, and not how much of it comes.
 */
export class Incoming {
  readonly #request: RunRequest;
  readonly #startedAt = performance.now();
  #text = 0;
  #lines = 0;
  #outstanding = 0;

  constructor(request: RunRequest) {
    this.#request = request;
  }

  /** @throws {SandboxError} `protocol_error` for another run, or for more than the sidecar lets a script write */
  console({ runId, level, text }: Notice<'sandbox/console'>): void {
    this.#assertOurs(runId, 'wrote to the console');
    this.#text += text.length + 1;
    this.#lines++;
    // One second more for the window that both ends cut in two, and one for the sidecar's own remarks.
    const seconds = (performance.now() - this.#startedAt) / 1_000 + 2;
    if (this.#lines > seconds * maxConsoleLinesPerSecond || this.#text > maxConsoleRunBytes + 4 * maxConsoleBytes) {
      throw new SandboxError('protocol_error', 'The sidecar wrote more to the console than a script can.');
    }
    if (this.#request.onConsole) callSafely(this.#request.onConsole, { level, text });
  }

  /** @throws {SandboxError} `protocol_error` for another run, for what it did not offer, or for too many at a time */
  async call(call: Params<'sandbox/callCapability'>, over: AbortSignal): Promise<Result<'sandbox/callCapability'>> {
    this.#assertOurs(call.runId, `called '${call.name}'`);
    const { limits } = this.#request.params;
    const most = limits.outstandingHostCalls ?? limitTable.outstandingHostCalls.default;
    if (this.#outstanding >= most) {
      throw new SandboxError('protocol_error', `The sidecar called more than ${most} host functions at a time.`);
    }
    this.#outstanding++;
    try {
      return await this.#request.hostCalls.answer(call, over);
    } finally {
      this.#outstanding--;
    }
  }

  #assertOurs(runId: string, did: string): void {
    if (this.#request.params.runId === runId) return;
    throw new SandboxError('protocol_error', `The sidecar ${did} for a run that is not under way.`);
  }
}

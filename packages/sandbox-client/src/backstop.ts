import { setImmediate as nextTurn } from 'node:timers/promises';
import { PausableTimer } from './deadline.ts';

/**
 * A sidecar that has sent this many bytes within a grace period is sending its answer. Reading a long answer takes
 * longer than the grace.
 */
const answeringBytes = 64 * 1024;
/** How many turns of the event loop pass between a message and the next one that is queued behind it. */
const turnsBetweenMessages = 3;

/**
 * The most time that a run gets after its deadline, in all, without calls of host functions. Each call and each piece
 * of an answer shows that the sidecar is alive and earns another grace period, because a busy host reads them late.
 */
const mostOvertimeMs = 60_000;

/** How much a sidecar has sent so far. Both numbers only grow. */
export interface Heard {
  bytes: number;
  messages: number;
}

/**
 * Calls back when a sidecar is overdue. A healthy sidecar keeps the deadline by its own clock, and this catches one
 * that does not. It waits for the time that is left by the sidecar's clock and then for the grace, and lets the host
 * read what has arrived before it calls back.
 */
export class Backstop {
  readonly #graceMs: number;
  readonly #heard: () => Heard;
  readonly #onOverdue: () => void;
  readonly #timer: PausableTimer;
  /** How much had been sent when the grace period began; `undefined` before that. */
  #heardAtDeadline: Heard | undefined;
  #overtimeMs = 0;
  /** Changes with every call that makes a pending last check obsolete. */
  #generation = 0;

  constructor(timeoutMs: number, graceMs: number, heard: () => Heard, onOverdue: () => void) {
    this.#graceMs = graceMs;
    this.#heard = heard;
    this.#onOverdue = onOverdue;
    this.#timer = new PausableTimer(timeoutMs, () => this.#passed());
  }

  /** Whether the host stood still during the wait. If so, the sidecar's silence proves nothing. */
  get isInDoubt(): boolean {
    return this.#timer.stalls > 0;
  }

  pause(): void {
    this.#generation++;
    this.#timer.pause();
  }

  resume(): void {
    this.#generation++;
    this.#heardAtDeadline = undefined;
    this.#timer.resume();
  }

  /** Stops the timer for good. */
  stop(): void {
    this.#generation++;
    this.#timer.stop();
  }

  #passed(): void {
    const before = this.#heardAtDeadline;
    const now = this.#heard();
    if (before !== undefined && now.bytes - before.bytes < answeringBytes) return void this.#lookAgain();
    if (this.#overtimeMs > mostOvertimeMs) return this.#onOverdue();
    this.#overtimeMs += Math.max(this.#graceMs, 1);
    this.#heardAtDeadline = now;
    this.#timer.resume(this.#graceMs);
  }

  /**
   * The host handles one queued message in each turn. So the sidecar is not overdue while each turn brings a message.
   */
  async #lookAgain(): Promise<void> {
    const generation = ++this.#generation;
    const until = performance.now() + this.#graceMs;
    let before: Heard;
    do {
      before = this.#heard();
      for (let turn = 0; turn < turnsBetweenMessages; turn++) await nextTurn();
      if (generation !== this.#generation) return;
    } while (isMore(this.#heard(), before) && performance.now() < until);
    this.#onOverdue();
  }
}

function isMore(now: Heard, before: Heard): boolean {
  return now.bytes > before.bytes || now.messages > before.messages;
}

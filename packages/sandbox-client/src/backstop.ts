import { setImmediate as nextTurn } from 'node:timers/promises';
import { PausableTimer } from './deadline.ts';

/** This much within a grace period is an answer on its way. A long answer takes longer than the grace to read. */
const answeringBytes = 64 * 1024;
/** The wait between a message and the next one that is queued behind it. */
const turnsBetweenMessages = 3;

/**
 * The most time, between calls of host functions, that a run gets after its deadline in all. Each call and each piece of
 * an answer is a sign of life, and earns another grace period: a host that is busy reads them late.
 */
const mostOvertimeMs = 60_000;

/** How much has come from a sidecar so far. Both numbers only grow. */
export interface Heard {
  bytes: number;
  messages: number;
}

/**
 * Calls back when a sidecar is overdue. A healthy sidecar keeps the deadline by its own clock; this catches one that no
 * longer does. It waits for the time that is left by the sidecar's clock plus the grace, and first lets the host read
 * what has arrived.
 */
export class Backstop {
  readonly #graceMs: number;
  readonly #heard: () => Heard;
  readonly #onOverdue: () => void;
  readonly #timer: PausableTimer;
  /** How much had come when the grace period began; `undefined` before that. */
  #heardAtDeadline: Heard | undefined;
  #overtimeMs = 0;
  /** Changes with every call that makes a pending last check void. */
  #generation = 0;

  constructor(timeoutMs: number, graceMs: number, heard: () => Heard, onOverdue: () => void) {
    this.#graceMs = graceMs;
    this.#heard = heard;
    this.#onOverdue = onOverdue;
    this.#timer = new PausableTimer(timeoutMs, () => this.#passed());
  }

  /** Whether the host stood still while it waited. If so, silence proves nothing about the sidecar. */
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

  /** Stops it for good. */
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

  /** A full queue is handled one message a turn: not overdue as long as each turn brings one. */
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

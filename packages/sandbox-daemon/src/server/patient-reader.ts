import { availableParallelism, loadavg } from 'node:os';
import { SandboxError } from '@mustard-sandbox/protocol';
import type { StandardInput } from './stdio.ts';

/**
 * How long to look for an answer repeatedly before waiting for it, in ms. Waking an idle processor takes 30 µs or more,
 * several times as long as a short host function.
 */
const lookingMs = 0.2;
/** How often to check whether the machine is busy, in ms. One check takes 10 µs. */
const busyLookMs = 500;

let isBusy = false;
let lookAt = 0;

/** Waits for what the client sends, without the event loop. */
export class PatientReader {
  readonly #input: StandardInput;
  #startedAt = 0;

  constructor(input: StandardInput) {
    this.#input = input;
  }

  /** Call this when a wait begins. */
  begin(): void {
    this.#startedAt = performance.now();
  }

  /**
   * Reads what has arrived, and waits if nothing has.
   *
   * @throws {SandboxError} `closed` when the client is gone
   */
  read(): void {
    if (this.#input.readNow()) return;
    if (this.#input.isOver) throw new SandboxError('closed', 'The client has closed the connection.');
    if (performance.now() - this.#startedAt < lookingMs && canLook()) return;
    this.#input.waitAndRead();
  }
}

/**
 * With one processor, or when other programs keep all of them busy, looking would take from the client the time that it
 * needs to answer.
 */
function canLook(): boolean {
  const now = performance.now();
  if (now >= lookAt) {
    lookAt = now + busyLookMs;
    isBusy = availableParallelism() < 2 || (loadavg()[0] as number) > availableParallelism() + 1;
  }
  return !isBusy;
}

import { availableParallelism, loadavg } from 'node:os';
import { SandboxError } from '@mustard-sandbox/protocol';
import type { StandardInput } from './stdio.ts';

/**
 * How long to look for an answer again and again before waiting for it. Waking an idle processor takes 30 µs or more, several
 * times as long as a short host function.
 */
const lookingMs = 0.2;
/** How often is looked whether the machine is busy; looking takes 10 µs. */
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

  /** A wait begins. */
  begin(): void {
    this.#startedAt = performance.now();
  }

  /**
   * Reads, and waits where nothing has come.
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

/** With one processor, or where others keep all of them busy, looking would take from the client what it needs to answer. */
function canLook(): boolean {
  const now = performance.now();
  if (now >= lookAt) {
    lookAt = now + busyLookMs;
    isBusy = availableParallelism() < 2 || (loadavg()[0] as number) > availableParallelism() + 1;
  }
  return !isBusy;
}

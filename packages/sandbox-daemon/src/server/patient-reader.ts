import { availableParallelism, loadavg } from 'node:os';
import { sleep, type StandardInput } from './stdio.ts';
import { SandboxError } from '../protocol/errors.ts';

/**
 * How long to look for an answer again and again before sleeping. Waking an idle processor takes 30 µs or more, several
 * times as long as a short host function.
 */
const lookingMs = 0.2;
/** The sleeps between two looks grow up to here, and further for a person who is asked. */
const shortSleepMs = 0.05;
const longSleepMs = 1;
const patientSleepMs = 5;
const patientAfterMs = 1_000;
/** How often is looked whether the machine is busy; looking takes 10 µs. */
const busyLookMs = 500;

let isBusy = false;
let lookAt = 0;

/** Waits for what the client sends, without the event loop. */
export class PatientReader {
  readonly #input: StandardInput;
  #startedAt = 0;
  #sleepMs = shortSleepMs;

  constructor(input: StandardInput) {
    this.#input = input;
  }

  /** A wait begins. */
  begin(): void {
    this.#startedAt = performance.now();
    this.#sleepMs = shortSleepMs;
  }

  /**
   * Reads, and waits a little where nothing has come.
   *
   * @throws {SandboxError} `closed` when the client is gone
   */
  read(): void {
    if (this.#input.readNow()) return;
    if (this.#input.isOver) throw new SandboxError('closed', 'The client has closed the connection.');
    const waitedMs = performance.now() - this.#startedAt;
    if (waitedMs < lookingMs && canLook()) return;
    sleep(this.#sleepMs);
    this.#sleepMs = Math.min(this.#sleepMs * 2, waitedMs > patientAfterMs ? patientSleepMs : longSleepMs);
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

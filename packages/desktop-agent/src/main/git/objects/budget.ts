import { setImmediate } from 'node:timers/promises';
import { AgentError } from '../../../contract/index.ts';

/**
 * Of one operation. A repository of 100,000 files stays below, read three times over; a clone of 180 KB can name 2^40, by
 * trees that each name the one below twice.
 */
const maxEntries = 1_000_000;
/** A long path weighs more: all of them are in memory at once. */
const charsOfEntry = 64;
const maxBytes = 4 * 1024 ** 3;
const maxMs = 60_000;
/** After so many entries everything else that waits for the thread has its turn. */
const entriesOfTurn = 20_000;

/** What reading a repository may cost in all: its objects may come from a stranger. */
export class Budget {
  #entries = 0;
  #bytes = 0;
  #ms = 0;
  #turns = 0;

  /** Spends one entry for each path, and for each object. */
  async spendEntries(count: number, pathLength = 0): Promise<void> {
    this.#entries += count * (1 + Math.floor(pathLength / charsOfEntry));
    if (this.#entries > maxEntries) throw tooMuch(`over ${maxEntries / 1_000_000} million files and folders`);
    if (this.#entries - this.#turns < entriesOfTurn) return;
    this.#turns = this.#entries;
    await setImmediate();
  }

  /** Spends what an object, or a step on the way to it, takes in memory. */
  spendBytes(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > maxBytes) throw tooMuch(`over ${maxBytes / 1024 ** 3} GB to unpack`);
  }

  /** Runs `use`, whose time counts: what a person or a package manager takes in between does not. */
  async timed<T>(use: () => Promise<T>): Promise<T> {
    if (this.#ms > maxMs) throw tooMuch(`more to read than fits into ${maxMs / 1000} s`);
    const start = performance.now();
    try {
      return await use();
    } finally {
      this.#ms += performance.now() - start;
    }
  }
}

function tooMuch(what: string): AgentError {
  const message = `This repository has ${what}, which is too much to be read here. Nothing was changed: use git itself for it.`;
  return new AgentError('limit_exceeded', message);
}

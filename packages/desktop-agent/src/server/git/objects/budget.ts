import { AgentError } from '../../../shared/contract/index.ts';

/**
 * Of one operation. A repository of 100,000 files stays below, read three times over; a clone of 180 KB can name 2^40, by
 * trees that each name the one below twice.
 */
const maxEntries = 1_000_000;
/** A long path weighs more: all of them are in memory at once. */
const charsOfEntry = 64;
const maxBytes = 4 * 1024 ** 3;

/** What reading a repository may cost in all: its objects may come from a stranger. */
export class Budget {
  #entries = 0;
  #bytes = 0;

  /** Spends one entry for each path, and for each object. */
  spendEntries(count: number, pathLength = 0): void {
    this.#entries += count * (1 + Math.floor(pathLength / charsOfEntry));
    if (this.#entries > maxEntries) throw tooMuch(`over ${maxEntries / 1_000_000} million files and folders`);
  }

  /** Spends what an object, or a step on the way to it, takes in memory. */
  spendBytes(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > maxBytes) throw tooMuch(`over ${maxBytes / 1024 ** 3} GB to unpack`);
  }
}

/** @param what it has, as in "This repository has …" */
export function tooMuch(what: string): AgentError {
  const message = `This repository has ${what}, which is too much to be read here. Nothing was changed: use git itself for it.`;
  return new AgentError('limit_exceeded', message);
}

import { AgentError } from '../../../shared/contract/index.ts';

/**
 * The entries of one operation. Reading a repository of 100,000 files three times stays below. A clone of 180 KB can name
 * 2^40 files by trees that each name the next one twice.
 */
const maxEntries = 1_000_000;
/** A long path counts more, because all paths are in memory at once. */
const charsOfEntry = 64;
const maxBytes = 4 * 1024 ** 3;

/** Bounds what reading a repository may cost in all, because its objects may come from a stranger. */
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

/** @param what completes "This repository has …" */
export function tooMuch(what: string): AgentError {
  const message = `This repository has ${what}, which is too much to be read here. Nothing was changed: use git itself for it.`;
  return new AgentError('limit_exceeded', message);
}

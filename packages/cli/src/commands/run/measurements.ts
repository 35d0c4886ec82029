import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import type { RunProfile, RunResult } from '@mustard-sandbox/client';

export interface Spread {
  min: number;
  median: number;
  max: number;
}

/** The results of several runs of one script. */
export interface Repeats {
  runs: number;
  /** How many different values there were. */
  values: number;
  executionMs: Spread;
  instructionsUsed: Spread;
}

/**
 * Collects runs of one script. It keeps the first value and only a hash of each other one, because values may be large.
 */
export class Measurements {
  readonly first: RunResult;
  /** The statistics of the last run, whose process is warm. */
  profile: RunProfile | undefined;
  readonly #hashes = new Set<string>();
  readonly #executionMs: number[] = [];
  readonly #instructionsUsed: number[] = [];

  constructor(first: RunResult) {
    this.first = first;
    this.add(first);
  }

  add({ value, executionMs, instructionsUsed, profile }: RunResult): void {
    this.#hashes.add(createHash('sha256').update(fingerprintOf(value)).digest('base64'));
    this.#executionMs.push(executionMs);
    this.#instructionsUsed.push(instructionsUsed);
    this.profile = profile;
  }

  repeats(): Repeats {
    return {
      runs: this.#executionMs.length,
      values: this.#hashes.size,
      executionMs: spreadOf(this.#executionMs),
      instructionsUsed: spreadOf(this.#instructionsUsed),
    };
  }
}

/**
 * Distinguishes all values. V8's own serialization also depends on how a list is stored, which a script does not
 * decide.
 */
function fingerprintOf(value: unknown): string {
  return inspect(value, {
    depth: Infinity,
    maxArrayLength: Infinity,
    maxStringLength: Infinity,
    breakLength: Infinity,
  });
}

/** The median of an even number of values is the lower of the two in the middle, because that one was measured. */
export function spreadOf(numbers: readonly number[]): Spread {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] as number;
  return { min: at(0), median: at(Math.floor((sorted.length - 1) / 2)), max: at(sorted.length - 1) };
}

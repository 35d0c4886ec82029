import { formatBytes } from '@mustard-sandbox/agent-tool';

/** Collects what did not hold, and prints as it goes: rows to stdout, progress to stderr. */
export class Report {
  /** What must hold on any machine. @type {string[]} */
  missed = [];
  /** What depends on the machine's speed as well. @type {string[]} */
  slow = [];
  #reportedAt = 0;

  /** @param {boolean} holds @param {string} otherwise */
  must(holds, otherwise) {
    if (!holds) this.missed.push(otherwise);
  }

  /** @param {boolean} holds @param {string} otherwise */
  wanted(holds, otherwise) {
    if (!holds) this.slow.push(otherwise);
  }

  /** @param {string} text */
  row(text) {
    process.stdout.write(`${text}\n`);
  }

  /** @param {string} text */
  progress(text) {
    process.stderr.write(`${text}\n`);
  }

  /** Progress from a loop, every two seconds. @param {() => string} text */
  sometimes(text) {
    if (performance.now() - this.#reportedAt < 2_000) return;
    this.#reportedAt = performance.now();
    this.progress(text());
  }
}

/**
 * @param {number[]} values
 * @returns {{ n: number, p50: number | null, p99: number | null, max: number | null }} rounded to 0.1
 */
export function percentiles(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share) => tenths(sorted[Math.ceil(share * sorted.length) - 1]);
  return { n: sorted.length, p50: at(0.5), p99: at(0.99), max: tenths(sorted.at(-1)) };
}

/** @param {number | undefined} value */
export function tenths(value) {
  return value === undefined ? null : Math.round(value * 10) / 10;
}

/** @param {number | null} bytes */
export function size(bytes) {
  return bytes === null ? '-' : formatBytes(bytes);
}

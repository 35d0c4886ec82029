const kept = 1_000;
/** Older waits do not count, because a fleet that scales by them would never get smaller. */
const recentMs = 60_000;

/** How long the jobs of the last minute waited, in ms. At most the last 1,000 are counted. */
export class Waits {
  readonly #waits: { ms: number; at: number }[] = [];
  #count = 0;

  add(ms: number): void {
    this.#waits[this.#count++ % kept] = { ms, at: performance.now() };
  }

  percentiles(): { p50: number; p99: number } {
    const since = performance.now() - recentMs;
    const sorted = this.#waits.flatMap(({ ms, at }) => (at >= since ? [ms] : [])).toSorted((one, other) => one - other);
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
    return { p50: at(0.5), p99: at(0.99) };
  }
}

/** Whether tests do all that they can, as in CI (`FULL_TESTS=1`), or what a developer waits for. */
export const isFull = process.env['FULL_TESTS'] === '1';

/** How often a property is tried: a fifth of `full`, or all of it. */
export function runs(full: number): { numRuns: number } {
  return { numRuns: isFull ? full : Math.max(2, Math.ceil(full / 5)) };
}

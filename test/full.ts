/** Whether tests do all that they can, as in CI (`FULL_TESTS=1`), or what a developer waits for. */
export const isFull = process.env['FULL_TESTS'] === '1';

/** How often a property is tried: a part of `full`, a fifth where the test does not say another, or all of it. */
export function runs(full: number, part = 5): { numRuns: number } {
  return { numRuns: isFull ? full : Math.max(2, Math.ceil(full / part)) };
}

const cleanings: (() => void)[] = [];

/**
 * Calls `clean` when this process ends. For what several test files share that run in one process: `afterAll` would take
 * it from the files that come after the first one.
 */
export function atProcessEnd(clean: () => void): void {
  if (cleanings.length === 0) {
    process.once('exit', cleanAll);
    // Vitest ends its workers by a signal, which alone would not lead to `exit`.
    process.once('SIGTERM', () => process.exit());
  }
  cleanings.push(clean);
}

function cleanAll(): void {
  for (const clean of cleanings.toReversed()) {
    try {
      clean();
    } catch (error) {
      console.error('Left behind:', error);
    }
  }
}

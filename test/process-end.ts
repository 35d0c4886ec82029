/**
 * Calls `clean` when this process ends. For what several test files share that run in one process: `afterAll` would take
 * it from the files that come after the first one.
 */
export function atProcessEnd(clean: () => void): void {
  process.once('exit', clean);
  // Vitest ends its workers by a signal, which alone would not lead to `exit`.
  if (!process.listeners('SIGTERM').includes(leave)) process.once('SIGTERM', leave);
}

function leave(): void {
  process.exit();
}

/**
 * How a built-in that may take long stays under the deadline of its run, and lets the sidecar read a cancel request. The
 * watchdog can stop the engine, but not a built-in: one that neither checks nor waits `within` is killed after the grace.
 */
export interface Pace {
  /**
   * For code that cannot wait, some times a second.
   *
   * @throws {SandboxError} `timeout` or `cancelled` when the run is over; the script cannot catch it
   */
  check(): void;
  /**
   * Checks, and gives a promise to await when the event loop is due a turn. Most calls give `undefined`, which costs
   * nothing: `const turn = pace.turn(); if (turn) await turn;`
   */
  turn(): Promise<void> | undefined;
  /**
   * Waits for what goes on elsewhere, in another thread or a library.
   *
   * @param stop called when the run is over first: it should make `work` end soon
   * @throws {SandboxError} `timeout` or `cancelled` when the run is over first; else what `work` throws
   */
  within<T>(work: Promise<T>, stop?: () => void): Promise<T>;
}

/** For calls that no run waits for, such as those of tests and campaigns. */
export const unhurried: Pace = {
  check() {},
  turn: () => undefined,
  within: (work) => work,
};

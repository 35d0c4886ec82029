/**
 * Keeps a built-in that may take long under the deadline of its run. The watchdog can stop the engine, but not a
 * built-in, so a built-in that does not check is killed after the grace.
 */
export interface Pace {
  /**
   * Call it some hundred times a second: between two files, or two pieces of one. It is cheap.
   *
   * @throws {SandboxError} `timeout` or `cancelled` when the run is over; the script cannot catch it
   */
  check(): void;
}

/** The pace of built-ins in the other thread, whose event loop turns: see `aside/thread.ts`. */
export interface AsidePace extends Pace {
  /**
   * Waits for a library.
   *
   * @param stop called when the run is over first; it should make `work` end soon
   * @throws {SandboxError} like `check` when the run is over first; otherwise the error of `work`
   */
  within<T>(work: Promise<T>, stop?: () => void): Promise<T>;
}

/** For calls without a run, such as those of tests and campaigns. */
export const unhurried: AsidePace = {
  check() {},
  within: (work) => work,
};

import type { RunSpent } from '@mustard-sandbox/protocol';

/**
 * The time of a run as its deadline counts it: the smaller of the wall time and the processor time. The result of a run
 * has the wall time alone, so the time since the last report counts in full: 50 ms at most.
 */
export class ComputedTime {
  #last = { executionMs: 0, cpuMs: 0 };

  report({ executionMs, cpuMs }: Pick<RunSpent, 'executionMs' | 'cpuMs'>): void {
    this.#last = { executionMs, cpuMs };
  }

  /** @param executionMs the wall time of the whole run */
  until(executionMs: number): number {
    const { executionMs: reported, cpuMs } = this.#last;
    return Math.min(executionMs, cpuMs + Math.max(0, executionMs - reported));
  }
}

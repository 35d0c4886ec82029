import type { Events } from './events.ts';
import type { SandboxStats } from './types.ts';

const keptQueueTimes = 1_000;

/** Counts the events. */
export class Totals {
  readonly #counts: SandboxStats['totals'] = {
    runs: 0,
    succeeded: 0,
    failed: 0,
    crashes: 0,
    kills: 0,
    spawns: 0,
    retired: 0,
  };
  readonly #queueTimes: number[] = [];

  constructor(events: Events) {
    const counts = this.#counts;
    events.on('run_started', ({ queueMs }) => {
      this.#queueTimes[counts.runs % keptQueueTimes] = queueMs;
      counts.runs++;
    });
    events.on('run_settled', ({ ok }) => {
      if (ok) counts.succeeded++;
      else counts.failed++;
    });
    events.on('crashed', () => counts.crashes++);
    events.on('killed', () => counts.kills++);
    events.on('spawned', () => counts.spawns++);
    events.on('retired', () => counts.retired++);
  }

  counts(): SandboxStats['totals'] {
    return { ...this.#counts };
  }

  queueMs(): SandboxStats['queueMs'] {
    const sorted = this.#queueTimes.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
    return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0 };
  }
}

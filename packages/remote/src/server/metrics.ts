/** Upper bounds of the buckets of a duration, in seconds. */
const buckets = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Counts for Prometheus, in its text format. Labels are codes and names of this program, and never text of a client.
 */
export class Metrics {
  readonly #counters = new Map<string, number>();
  readonly #durations = buckets.map(() => 0);
  #durationCount = 0;
  #durationSum = 0;

  count(name: string, by = 1, labels?: Record<string, string>): void {
    this.#add(`mustard_sandbox_${name}${labels === undefined ? '' : renderLabels(labels)}`, by);
  }

  #add(key: string, by: number): void {
    this.#counters.set(key, (this.#counters.get(key) ?? 0) + by);
  }

  /** @param code of its error, or `ok` */
  ran(code: string, seconds: number): void {
    this.#add(`mustard_sandbox_runs_total{code="${code}"}`, 1);
    this.#durationCount++;
    this.#durationSum += seconds;
    for (let index = buckets.length - 1; index >= 0 && seconds <= (buckets[index] as number); index--) {
      this.#durations[index] = (this.#durations[index] as number) + 1;
    }
  }

  /** @param gauges present values, by name */
  render(gauges: Record<string, number>): string {
    const lines = Object.entries(gauges).flatMap(([name, value]) => [
      `# TYPE mustard_sandbox_${name} gauge`,
      `mustard_sandbox_${name} ${value}`,
    ]);
    const typed = new Set<string>();
    for (const [key, value] of this.#counters) {
      const name = key.replace(/\{.*$/, '');
      if (!typed.has(name)) lines.push(`# TYPE ${name} counter`);
      typed.add(name);
      lines.push(`${key} ${value}`);
    }
    return `${[...lines, ...this.#renderDurations()].join('\n')}\n`;
  }

  #renderDurations(): string[] {
    const name = 'mustard_sandbox_run_seconds';
    return [
      `# TYPE ${name} histogram`,
      ...buckets.map((bound, index) => `${name}_bucket{le="${bound}"} ${this.#durations[index]}`),
      `${name}_bucket{le="+Inf"} ${this.#durationCount}`,
      `${name}_sum ${this.#durationSum}`,
      `${name}_count ${this.#durationCount}`,
    ];
  }
}

function renderLabels(labels: Record<string, string>): string {
  const shown = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return shown.length === 0 ? '' : `{${shown.join(',')}}`;
}

import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';

/** Above this share of the cores there is something else running that shows in the figures. */
const busyShare = 0.4;

/**
 * The machine that the figures are of. Load averages are over the last minute; Windows has none.
 *
 * @typedef {{
 *   cpu: string, cores: number, memoryBytes: number, platform: string, kernel: string, node: string,
 *   loadAtStart: number | null, busy: boolean,
 * }} Machine
 * @returns {Machine}
 */
export function describeMachine() {
  const cores = availableParallelism();
  const load = process.platform === 'win32' ? null : (loadavg()[0] ?? 0);
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores,
    memoryBytes: totalmem(),
    platform: `${process.platform}-${process.arch}`,
    kernel: release(),
    node: process.version,
    loadAtStart: load === null ? null : Math.round(load * 100) / 100,
    busy: load !== null && load > cores * busyShare,
  };
}

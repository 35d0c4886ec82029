import type { RunProfile, RunSpent } from '@mustard-sandbox/client';
import type { Failure } from './failure.ts';

/** A share of the time from which on it is the cause. */
const most = 0.6;

/** A deadline counts processor time; a script that had less than this share of it met the bound in wall-clock time. */
const busyShare = 0.9;

/** What a run that ended by a limit had done, in sentences for the model; empty where nobody measured it. */
export function measurementsOf({ error, context }: Failure): string {
  const { spent, value } = error.details;
  if (spent === undefined) return '';
  const { executionMs, cpuMs } = spent;
  const isBusy = error.code === 'timeout' && value !== undefined && cpuMs < busyShare * Math.min(value, executionMs);
  const busy = isBusy
    ? ` The machine was busy: of ${seconds(executionMs)} the script had a processor for ${seconds(cpuMs)}, so the same script may pass next time.`
    : '';
  return `${busy}${timesOf(context.profile)}${progressOf(spent)}`;
}

function timesOf(profile: RunProfile | undefined): string {
  const total = profile === undefined ? 0 : totalOf(profile);
  if (profile === undefined || total === 0) return '';
  const [slowest] = profile.capabilities.toSorted((a, b) => b.ms - a.ms);
  if (slowest !== undefined && slowest.ms > most * total) {
    return ` Measured: ${slowest.calls} calls of ${slowest.name}() took ${seconds(slowest.ms)}.`;
  }
  if (profile.capabilities.length > 0 && profile.rest.scriptMs > most * total) {
    return ` Measured: ${seconds(profile.rest.scriptMs)} went into the code after the last call of a function.`;
  }
  return '';
}

function progressOf({ reached }: RunSpent): string {
  if (reached === undefined || reached.size === 0 || reached.position >= reached.size) return '';
  const { path, position, size } = reached;
  const parts = Math.ceil((1.25 * size) / Math.max(1, position));
  const enough = parts > 1 && parts <= 20 ? `; ${parts} runs, each over a part, would do` : '';
  return ` It came to byte ${position} of ${size} of ${JSON.stringify(path.slice(0, 200))}${enough}.`;
}

function totalOf({ capabilities, rest }: RunProfile): number {
  return capabilities.reduce((sum, { ms, scriptMs }) => sum + ms + scriptMs, rest.scriptMs);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

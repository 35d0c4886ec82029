import { busyWords, type RunProfile, type RunSpent } from '@mustard-sandbox/client';
import type { Failure } from './failure.ts';

/** From this share of the time on, a part counts as the cause. */
const most = 0.6;

/** What a run that a limit ended had done, in sentences for the model. Empty when nobody measured it. */
export function measurementsOf({ error, context }: Failure): string {
  const { spent, value } = error.details;
  if (spent === undefined) return '';
  const busy = error.code === 'timeout' && value !== undefined ? busyWords(spent, value) : '';
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

/** The compressed file that a run read last, or that its script names. */
export function compressedFileOf({ error, context: { script } }: Failure): string | undefined {
  const last = error.details.spent?.reached?.path;
  if (last !== undefined) return isCompressed(last) ? last : undefined;
  return /(['"`])([^'"`\n]{1,200}\.(?:gz|zstd?))\1/i.exec(script)?.[2];
}

function isCompressed(path: string): boolean {
  return /\.(?:gz|zstd?)$/i.test(path);
}

function progressOf({ reached }: RunSpent): string {
  if (reached === undefined || reached.size === 0 || reached.position >= reached.size) return '';
  const { path, position, size } = reached;
  if (isCompressed(path)) return '';
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

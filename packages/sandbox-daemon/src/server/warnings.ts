import type { EngineRun } from '../engine/interface.ts';
import type { CutShort, FileAccess } from '../files/index.ts';
import { maxWarnings, type RunWarning } from '@mustard-sandbox/protocol';

/** Left out when empty, because most runs have none. */
export function warningsOf(
  { warnings }: EngineRun,
  { cutShort }: FileAccess,
  script: string,
): { warnings?: RunWarning[] } {
  // The list loses its property `truncated` when it leaves the script. A script that names the property needs no
  // warning.
  const cut = script.includes('truncated') ? [] : [...cutShort];
  const all = [...cut.map((name) => ({ id: `${name}-limit`, message: cutMessages[name] })), ...warnings];
  return all.length === 0 ? {} : { warnings: all.slice(0, maxWarnings) };
}

const cutMessages: Record<CutShort, string> = {
  search:
    'A search stopped at its limit of 100, and there is more: give it { limit }, or { count: true } for how many there are.',
  query:
    'A query stopped at its limit of 1000 rows, and there are more: give it { limit }, or count and group in the SQL.',
};

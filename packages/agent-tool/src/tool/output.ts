import type { SandboxValue } from '@mustard-sandbox/client';
import { formatBytes } from '../sizes.ts';
import { headOf, tailOf } from './cut.ts';
import { maxSpillBytes, type Kept, type Spills } from './spills.ts';

/** What a script returned, as JSON. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

export interface Output {
  /** The text for the model, at most 64 KiB. */
  text: string;
  /** The script's value. Absent when the script gave `undefined`, and when it was too long for the model. */
  value?: JsonValue;
  /** Facts that `value` cannot express, for a host that uses only `value`. `text` ends with them too. */
  note?: string;
  /** Whether the model got only the beginning and the end. */
  truncated: boolean;
  /** The name by which later scripts read the whole text: `attachments:script-output-<hash>.txt`. */
  fullOutput?: string;
  /** The path of that file, for the host. Do not show it to the model. */
  fullOutputPath?: string;
}

export interface Measured extends Output {
  /** Bytes of the whole text, and of the part that the model got. */
  totalBytes: number;
  shownBytes: number;
  /** Whether the result was empty. `text` then only says so. */
  empty: boolean;
}

/** The most that the model gets of a result, in bytes of UTF-8. */
export const maxOutputBytes = 64 * 1024;

/** Room for the note between head and tail, whose longest form has about 300 bytes. */
const noteBytes = 512;

interface Beside {
  /** Notes below the result. They count towards its length. */
  remarks?: readonly string[];
  /** Warnings below the result, counted too. The host gets them as a field of their own. */
  warnings?: readonly string[];
  /** What the script printed. It is shown when there is no value. */
  printed?: string;
}

/**
 * A script's value for a model: a string is unchanged, and everything else is compact JSON. If that is too long, the
 * middle is left out, and the whole text is kept for later scripts.
 */
export async function toOutput(
  result: SandboxValue,
  spills: Spills,
  { remarks = [], warnings = [], printed = '' }: Beside = {},
): Promise<Measured> {
  const special = new Set<string>();
  const value = toJsonValue(result, special);
  const numbers = sayNumbers(special);
  const notes = [...remarks, ...numbers];
  // A result that is a single number reads `NaN` or `Infinity`, which needs no note.
  const lines = [...remarks, ...(typeof result === 'number' ? [] : numbers), ...warnings].map((line) => `[${line}]`);
  const below = lines.length === 0 ? '' : `\n\n${lines.join('\n')}`;
  const noted = notes.length > 0 && { note: notes.join('\n') };
  const whole = Buffer.from(value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value));
  const totalBytes = whole.length;
  const maxBytes = maxOutputBytes - Buffer.byteLength(below);
  if (totalBytes <= maxBytes) {
    const nothing = sayEmpty(value, printed);
    const text = (nothing ?? whole.toString()) + below;
    const given = value !== undefined && { value };
    const sizes = { totalBytes, shownBytes: totalBytes, empty: nothing !== undefined };
    return { text, ...given, ...noted, truncated: false, ...sizes };
  }
  const kept = await spills.keep(whole);
  const room = maxBytes - noteBytes;
  const head = headOf(whole, Math.ceil(room * 0.75));
  const tail = tailOf(whole, Math.floor(room * 0.25));
  const shownBytes = head.length + tail.length;
  const text = `${head.toString()}${describeCut(totalBytes, shownBytes, kept)}${tail.toString()}${below}`;
  const file = 'name' in kept && { fullOutput: `attachments:${kept.name}`, fullOutputPath: kept.path };
  return { text, ...noted, truncated: true, ...file, totalBytes, shownBytes, empty: false };
}

/** The text for an empty result. A model would take an empty answer for a failure of the tool and try again. */
function sayEmpty(value: JsonValue | undefined, printed: string): string | undefined {
  if (value === undefined) {
    const why = 'The script ended without a value (undefined).';
    if (printed !== '') return `${why} It printed:\n${printed}`;
    return `${why} Make the last statement the expression to return, for example: counts`;
  }
  if (value === '') return 'The result is an empty string ("").';
  if (Array.isArray(value) && value.length === 0) return 'The result is an empty array ([]): nothing was found.';
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) {
    return 'The result is an empty object ({}).';
  }
  return undefined;
}

function describeCut(totalBytes: number, shownBytes: number, kept: Kept): string {
  const left = `${formatBytes(totalBytes - shownBytes)} of ${formatBytes(totalBytes)} left out here.`;
  const narrower = 'Return less: counts, a filtered list or a slice';
  if ('problem' in kept) return `\n\n[… ${left} The rest was not kept (${kept.problem}). ${narrower}. …]\n\n`;
  const what = kept.isWhole ? 'All of it' : `The first ${formatBytes(maxSpillBytes)} of it`;
  const file = `${what} is in attachments:${kept.name}, which the next script can read in ranges and search.`;
  return `\n\n[… ${left} ${file} Or ${narrower.toLowerCase()}. …]\n\n`;
}

/**
 * JSON writes `NaN` and infinities as `null`, and a model could not distinguish them from a missing value, so they
 * become their names. `undefined` in an object or an array is treated as in JSON.
 */
function toJsonValue(value: SandboxValue, special: Set<string>): JsonValue | undefined {
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value + 0;
    special.add(String(value));
    return String(value);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Array.from(value, (item) => toJsonValue(item, special) ?? null);
  const entries = Object.entries(value).map(([key, item]) => [key, toJsonValue(item, special)] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, JsonValue] => entry[1] !== undefined));
}

function sayNumbers(special: ReadonlySet<string>): string[] {
  if (special.size === 0) return [];
  return [`${[...special].join(', ')}: a number here, written as a string, because JSON has no such number.`];
}

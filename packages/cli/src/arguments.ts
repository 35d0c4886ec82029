import { formatBytes, parseBytes } from '@mustard-sandbox/agent-tool';
import { engineChoices, type EngineChoice } from '@mustard-sandbox/client';
import { UsageError } from './failure.ts';

interface Range {
  min: number;
  max: number;
}

const durationUnits = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** `500ms`, `1.5s`, `1m`, `1h` → milliseconds. */
export function parseDuration(option: string, text: string, { min, max }: Range): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/i.exec(text.trim());
  if (match === null) {
    throw new UsageError(`${option}: '${text}' is not a duration. Write a number with a unit: 500ms, 2s or 1m.`);
  }
  const [, number, unit] = match as unknown as [string, string, string];
  const ms = Math.round(Number(number) * durationUnits[unit.toLowerCase() as keyof typeof durationUnits]);
  if (ms >= min && ms <= max) return ms;
  throw new UsageError(`${option}: ${text} is out of range. It can be from ${min}ms to ${max / 1000}s.`);
}

const ageUnits = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** `90m`, `12h`, `30d`, `2w` → milliseconds. */
export function parseAge(option: string, text: string): number {
  const match = /^(\d{1,6}(?:\.\d{1,6})?)([mhdw])$/i.exec(text.trim());
  if (match === null) {
    throw new UsageError(`${option}: '${text}' is not an age. Write a number with a unit: 90m, 12h, 30d or 2w.`);
  }
  const [, number, unit] = match as unknown as [string, string, string];
  return Math.round(Number(number) * ageUnits[unit.toLowerCase() as keyof typeof ageUnits]);
}

/**
 * `64mb`, `1gb`, `512kb`, or bytes → bytes. A kb is 1,024 bytes.
 *
 * @throws {SandboxError} `invalid_request` when the text is not a size; a `UsageError` when the size is out of range
 */
export function parseSize(option: string, text: string, { min, max }: Range): number {
  const bytes = parseBytes(text, option);
  if (bytes >= min && bytes <= max) return bytes;
  throw new UsageError(
    `${option}: ${text} is out of range. It can be from ${formatBytes(min)} to ${formatBytes(max)}.`,
  );
}

const isolations = ['process', 'jail', 'auto'] as const;

/** How the sidecar is confined. */
export function parseIsolation(option: string, text = 'auto'): (typeof isolations)[number] {
  const isolation = isolations.find((name) => name === text);
  if (isolation !== undefined) return isolation;
  throw new UsageError(`${option}: '${text}' is not one of ${isolations.join(', ')}.`);
}

/** In which engine scripts run. */
export function parseEngine(option: string, text: string): EngineChoice {
  const engine = engineChoices.find((name) => name === text);
  if (engine !== undefined) return engine;
  throw new UsageError(`${option}: '${text}' is not one of ${engineChoices.join(', ')}.`);
}

const countUnits = { '': 1, k: 1e3, m: 1e6, g: 1e9 } as const;

/** `20`, `1.5k`, `200M` → a whole number. */
export function parseCount(option: string, text: string, { min, max }: Range): number {
  const match = /^(\d+(?:\.\d+)?) ?([kmg]?)$/i.exec(text.trim());
  if (match === null) {
    throw new UsageError(`${option}: '${text}' is not a count. Write a number, such as 20, 5k or 200M.`);
  }
  const [, number, unit] = match as unknown as [string, string, string];
  const count = Math.round(Number(number) * countUnits[unit.toLowerCase() as keyof typeof countUnits]);
  if (count >= min && count <= max) return count;
  throw new UsageError(`${option}: ${text} is out of range. It can be from ${min} to ${max}.`);
}

/** Each `NAME=JSON` as an input of the script. */
export function parseInputs(texts: string[]): Record<string, unknown> {
  const inputs = new Map<string, unknown>();
  for (const text of texts) {
    const [name, value] = parseInput(text);
    if (inputs.has(name)) throw new UsageError(`--input: the name '${name}' is there twice.`);
    inputs.set(name, value);
  }
  // Defines properties, so that a name `__proto__` stays an ordinary one.
  return Object.fromEntries(inputs);
}

function parseInput(text: string): [string, unknown] {
  const end = text.indexOf('=');
  if (end < 0) throw new UsageError(`--input: '${text}' is not NAME=JSON. Write for example --input limit=10.`);
  const name = text.slice(0, end);
  const json = text.slice(end + 1);
  if (!/^[A-Za-z_$][\w$]{0,63}$/.test(name)) {
    throw new UsageError(`--input: '${name}' cannot be the name of a variable: letters, digits, _ and $ can be in it.`);
  }
  try {
    return [name, JSON.parse(json)];
  } catch (error) {
    throw new UsageError(
      `--input ${name}: the value is not JSON: ${(error as Error).message}.`,
      `a string needs double quotes inside the shell's single ones: --input '${name}=${JSON.stringify(json)}'`,
    );
  }
}

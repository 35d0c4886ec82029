import { readFile } from 'node:fs/promises';
import { oneLine } from '@mustard-sandbox/protocol/text';
import { closest } from '../closest.ts';
import { UsageError } from '../failure.ts';
import { configurationPath } from './path.ts';
import { noSettings, table, type Settings, type Table } from './settings.ts';

/** The user's settings for every call of the command, and where they are. */
export interface Configuration extends Settings {
  /** Absolute. */
  path: string;
  /** Whether the file exists. */
  exists: boolean;
}

/** Far more than all settings take once. */
const maxBytes = 64 * 1024;

/**
 * Reads the user's configuration. Without a file nothing is set.
 *
 * @throws {UsageError} with file and line for invalid TOML, an unknown setting, and a wrong value; for a file that was
 *   named and cannot be read
 */
export async function readConfiguration({ config }: { config?: string }): Promise<Configuration> {
  const { path, named } = configurationPath(config);
  const settings = noSettings();
  const text = await readConfigurationText(path, named);
  if (text === undefined) return { path, exists: false, ...settings };
  // Loaded only when there is a file, which is rare.
  const { parse, TomlError } = await import('smol-toml');
  const file = oneLine(path);
  let content: object;
  try {
    content = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '') ?? '';
    throw new UsageError(`${file}:${error.line}: this is not valid TOML: ${reason}.`);
  }
  const lineOf = (keys: readonly string[]): number => {
    // The parser gives no lines of values. A setting is on the line at which the text up to it first has the setting.
    const lines = text.split('\n');
    for (let count = 1; count < lines.length; count++) {
      try {
        if (has(parse(lines.slice(0, count).join('\n')), keys)) return count;
      } catch {
        // The text up to here ends within a value.
      }
    }
    return lines.length;
  };
  take(table, content, [], (keys, reader, value) => {
    const where = `${file}:${lineOf(keys)}: ${oneLine(keys.join('.'))}`;
    if (typeof reader === 'function') return reader(settings, value, where);
    throw new UsageError(`${where}: ${reader}`);
  });
  return { path, exists: true, ...settings };
}

type Visit = (keys: readonly string[], reader: Exclude<Table[string], Table> | string, value?: unknown) => void;

/** Visits every value, with the function that reads it, or with what is wrong with it. */
function take(known: Table, content: object, parents: readonly string[], visit: Visit): void {
  for (const [key, value] of Object.entries(content) as [string, unknown][]) {
    const keys = [...parents, key];
    const entry = Object.hasOwn(known, key) ? known[key] : undefined;
    if (entry === undefined) visit(keys, noSuchSetting(known, key));
    else if (typeof entry === 'function') visit(keys, entry, value);
    else if (isTable(value)) take(entry, value, keys, visit);
    else visit(keys, 'this is a table of settings, and no value.');
  }
}

function noSuchSetting(known: Table, key: string): string {
  const names = Object.keys(known);
  const meant = closest(key, names);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return `there is no such setting.${hint} There are ${names.join(', ')}.`;
}

function has(content: unknown, keys: readonly string[]): boolean {
  const [key, ...rest] = keys;
  if (key === undefined) return true;
  return isTable(content) && Object.hasOwn(content, key) && has((content as Record<string, unknown>)[key], rest);
}

function isTable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Returns `undefined` when there is no file, and nobody named one. */
async function readConfigurationText(path: string, named: boolean): Promise<string | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    if (text.length <= maxBytes) return text;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!named && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined;
    if (code === 'ENOENT') throw new UsageError(`There is no configuration '${oneLine(path)}'.`);
    throw new UsageError(`The configuration '${oneLine(path)}' cannot be read: ${message}.`);
  }
  throw new UsageError(`The configuration '${oneLine(path)}' is larger than ${maxBytes} bytes, so it was not read.`);
}

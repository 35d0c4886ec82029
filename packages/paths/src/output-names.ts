import { refusalOfName } from './path-policy.ts';
import { isSecret } from './secret-names.ts';

/** What a script may save, and the endings of its names. The first is given to a name without one. */
export const outputEndings = {
  csv: ['csv', 'tsv'],
  json: ['json'],
  ndjson: ['ndjson', 'jsonl'],
  markdown: ['md'],
  text: ['txt', 'log'],
  xlsx: ['xlsx'],
  parquet: ['parquet'],
} as const;

/** A format that a script may save in. */
export type OutputFormat = keyof typeof outputEndings;
/** All of them, for a schema. */
export const outputFormats = Object.keys(outputEndings) as [OutputFormat, ...OutputFormat[]];

/** How the bytes of a format begin that is no text; `undefined` for a text. */
export function startOfOutput(format: OutputFormat): string | undefined {
  return { xlsx: 'PK\x03\x04', parquet: 'PAR1' }[format as string];
}

const maxNameBytes = 120;

/** The format that the ending of a name stands for; `undefined` where it stands for none. */
export function formatOfOutput(name: string): OutputFormat | undefined {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return outputFormats.find((format) => (outputEndings[format] as readonly string[]).includes(ending));
}

/**
 * Why no file may be saved by this name; `undefined` when one may. A name must be good on every system that a person may
 * copy it to, and its ending must be one of data, so that nothing runs it.
 */
export function problemOfOutputName(name: string): string | undefined {
  if (name === '') return 'it is empty';
  if (name.includes('/')) return "it has a '/': an output has no folder";
  if (Buffer.byteLength(name) > maxNameBytes) return `it has more than ${maxNameBytes} bytes`;
  if (name.startsWith('.') || name.startsWith('-')) return `it begins with '${name[0]}'`;
  if (/["*<>?|\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u.test(name)) {
    return 'it has a character that names of files should not have';
  }
  const refused = refusalOfName(name, true, 'win32');
  if (refused !== undefined) return refused;
  if (isSecret([name])) return 'no script could read it, because such names are of secrets';
  return formatOfOutput(name) === undefined ? 'its ending is none of data' : undefined;
}

import { refusalOfName } from './path-policy.ts';
import { isSecret } from './secret-names.ts';

/** The formats that a script may save in, each with its endings. The first ending is added to a name without one. */
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
/** All formats, for a schema. */
export const outputFormats = Object.keys(outputEndings) as [OutputFormat, ...OutputFormat[]];

/** How the bytes of a format begin that is no text; `undefined` for a text. */
export function startOfOutput(format: OutputFormat): string | undefined {
  return { xlsx: 'PK\x03\x04', parquet: 'PAR1' }[format as string];
}

const maxNameBytes = 120;

/** The format that the ending of a name stands for; `undefined` for any other ending. */
export function formatOfOutput(name: string): OutputFormat | undefined {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return outputFormats.find((format) => (outputEndings[format] as readonly string[]).includes(ending));
}

/**
 * Why no file may be saved under this name; `undefined` when it may. A name must be valid on every system that a person
 * may copy the file to, and its ending must be one of a data format, so that nothing runs the file.
 */
export function problemOfOutputName(name: string): string | undefined {
  if (name === '') return 'it is empty';
  if (name.includes('/')) return "it has a '/': an output has no folder";
  if (Buffer.byteLength(name) > maxNameBytes) return `it has more than ${maxNameBytes} bytes`;
  if (name.startsWith('.') || name.startsWith('-')) return `it begins with '${name[0]}'`;
  if (/["*<>?|\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u.test(name)) {
    return 'it has a character that a file name should not have';
  }
  const refused = refusalOfName(name, true, 'win32');
  if (refused !== undefined) return refused;
  if (isSecret([name])) return 'no script could read it, because names like this are on the denylist';
  return formatOfOutput(name) === undefined ? 'its ending is not one of a data format' : undefined;
}

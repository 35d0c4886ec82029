import * as z from 'zod/mini';
import {
  formatOfOutput,
  outputEndings,
  outputFormats,
  problemOfOutputName,
  startOfOutput,
} from '@mustard-sandbox/paths';
import type { OutputFormat } from '@mustard-sandbox/paths';
import { messageOf, SandboxError } from '@mustard-sandbox/protocol';
import { BuiltinCall } from '../call.ts';
import { parseOptions } from '../options.ts';
import type { Pace } from '../pace.ts';
import { deliverAll, deliverBytes, type Deliver } from './deliver.ts';
import { writers } from './write.ts';

const optionsSchema = z.strictObject({
  format: z.optional(z.enum(outputFormats)),
  append: z._default(z.boolean(), false),
});

/**
 * Writes a value as the content of a file and hands that to the host, which alone writes to the disk.
 *
 * @param saved the files that the run has saved so far
 * @throws {SandboxError} `invalid_request` for a name, a value or an option that cannot be used; the error of `deliver`
 * @public through `later.ts`
 */
export function saveFile(
  [name, content, given]: readonly unknown[],
  pace: Pace,
  saved: Set<string>,
  deliver: Deliver,
): void {
  const call = new BuiltinCall('save', name);
  const { format: asked, append } = parseOptions(optionsSchema, given, call);
  if (typeof name !== 'string')
    throw call.invalid('save: the name of the file must be a string, as in save("a.csv", rows).');
  if (name === '') throw call.invalid('save: the file needs a name, as in save("a.csv", rows).');
  if (content === undefined)
    throw call.invalid(`save: there is nothing to save as ${call.shown}: the value is undefined.`);
  const format = asked ?? formatOfOutput(name) ?? (typeof content === 'string' ? 'text' : 'json');
  const file = named(name, format);
  const problem = problemOfOutputName(file);
  if (problem !== undefined) throw call.invalid(`save: ${call.shown} is no name for a file: ${problem}.`);
  if (append && startOfOutput(format) !== undefined) {
    throw call.invalid(
      `save: nothing can be appended to ${call.shown}: it is written as a whole. Save all rows at once.`,
    );
  }
  if (append && format === 'json') {
    throw call.invalid(`save: nothing can be appended to JSON. Save ${call.shown} as .ndjson, one value a line.`);
  }
  const ending = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  const check = (): void => pace.check();
  const written = explained(call, () => writers[format](content, { ending, isMore: append && saved.has(file), check }));
  const isTaken =
    typeof written === 'string' ? deliverAll(file, written, append, deliver) : deliverBytes(file, written, deliver);
  if (isTaken) saved.add(file);
}

function explained<T>(call: BuiltinCall, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (error instanceof SandboxError) throw error;
    throw call.invalid(`save: ${call.shown} cannot be written: ${messageOf(error)}.`);
  }
}

/** The name with the extension of the format, which shows what was saved. */
function named(name: string, format: OutputFormat): string {
  return formatOfOutput(name) === format ? name : `${name}.${outputEndings[format][0]}`;
}

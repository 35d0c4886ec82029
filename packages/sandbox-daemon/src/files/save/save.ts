import * as z from 'zod/mini';
import {
  formatOfOutput,
  outputEndings,
  outputFormats,
  problemOfOutputName,
  startOfOutput,
} from '@mustard-sandbox/paths';
import type { OutputFormat } from '@mustard-sandbox/paths';
import { messageOf, SandboxError, type SandboxValue } from '@mustard-sandbox/protocol';
import { BuiltinCall } from '../call.ts';
import { parseOptions } from '../options.ts';
import type { Pace } from '../pace.ts';
import { writers } from './write.ts';

/** How many characters of a file go to the host in one call. As JSON they are at most six times as many bytes. */
const partCharacters = 1024 * 1024;
/** Of bytes, which go as base64: three of them are four characters. */
const partBytes = 3 * 256 * 1024;

const optionsSchema = z.strictObject({
  format: z.optional(z.enum(outputFormats)),
  append: z._default(z.boolean(), false),
});

/** Hands one part of a file to the host. Returns false if the host refuses, and then no other part should follow. */
type Deliver = (args: SandboxValue[]) => boolean;

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

/** The name with an ending of the format, because the ending tells what was saved. */
function named(name: string, format: OutputFormat): string {
  return formatOfOutput(name) === format ? name : `${name}.${outputEndings[format][0]}`;
}

function deliverAll(file: string, text: string, append: boolean, deliver: Deliver): boolean {
  let at = 0;
  for (;;) {
    let end = Math.min(at + partCharacters, text.length);
    // A part must not end inside a surrogate pair.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    const isLast = end === text.length;
    const isTaken = deliver([file, text.slice(at, end), { append, isLast }]);
    if (!isTaken || isLast) return isTaken;
    at = end;
  }
}

function deliverBytes(file: string, bytes: Buffer, deliver: Deliver): boolean {
  for (let at = 0; ; at += partBytes) {
    const part = bytes.subarray(at, at + partBytes);
    const isLast = at + partBytes >= bytes.length;
    const isTaken = deliver([file, part.toString('base64'), { append: false, encoding: 'base64', isLast }]);
    if (!isTaken || isLast) return isTaken;
  }
}

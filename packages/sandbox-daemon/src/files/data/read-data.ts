import * as z from 'zod/mini';
import { messageOf, shorten, type SandboxError, type SandboxValue } from '@mustard-sandbox/protocol';
import { BuiltinCall } from '../call.ts';
import type { AsideContext } from '../context.ts';
import { parseOptions } from '../options.ts';
import { openSource } from '../source/source.ts';
import { dataFormats, parsers, type DataFormat } from './parsers.ts';
import { valueAt } from './value-at.ts';

const MiB = 1024 * 1024;
/** A file is held as a whole, and the trees of these libraries take up to a hundred times as much. */
const maxBytes: Record<DataFormat, number> = {
  yaml: 4 * MiB,
  toml: 4 * MiB,
  xml: 8 * MiB,
  json: 16 * MiB,
  html: 8 * MiB,
  ics: 8 * MiB,
};

const optionsSchema = z.strictObject({
  format: z.optional(z.enum(dataFormats)),
  pointer: z._default(z.string().check(z.maxLength(1_000)), ''),
});

const byEnding: Record<string, DataFormat> = {
  yaml: 'yaml',
  yml: 'yaml',
  toml: 'toml',
  json: 'json',
  html: 'html',
  htm: 'html',
  ics: 'ics',
};

/**
 * The value of a file of YAML, TOML, XML or JSON, the tables of a page, or the entries of a calendar.
 *
 * @throws {SandboxError} like `openFile`, `script_error` for text of another kind, `limit_exceeded` for a file or a
 * value that
 *   is too large
 */
export async function readData(context: AsideContext, [path, given]: readonly unknown[]): Promise<SandboxValue> {
  const call = new BuiltinCall('read_data', path);
  return await call.runAsync(async () => {
    const { format, pointer } = parseOptions(optionsSchema, given, call);
    const text = readWhole(context, path, maxBytes.json, call);
    const kind = format ?? formatOf(String(path), text, call);
    if (text.length > maxBytes[kind]) throw tooLarge(maxBytes[kind], text.length, call);
    let value: SandboxValue;
    try {
      value = await parsers[kind](text);
    } catch (error) {
      throw call.failed('SyntaxError', `${call.shown} is no ${kind.toUpperCase()}: ${shorten(messageOf(error), 300)}`);
    }
    return valueAt(value, pointer, call);
  });
}

function readWhole(context: AsideContext, path: unknown, most: number, call: BuiltinCall): string {
  using source = openSource(context, path, call);
  if (source.format().encoding === undefined) throw call.failed('NotReadableError', `${call.shown} is no text.`);
  const pieces: Buffer[] = [];
  let size = 0;
  for (let piece; (piece = source.next()) !== undefined;) {
    size += piece.length;
    if (size > most) throw tooLarge(most, size, call);
    pieces.push(Buffer.from(piece));
    context.pace.check();
  }
  return Buffer.concat(pieces).toString();
}

function tooLarge(most: number, size: number, call: BuiltinCall): SandboxError {
  const why = `${call.shown} has more than ${most} bytes. search(path, pattern) and lines(path) read files of any size.`;
  return call.limitExceeded('read_bytes', most, size, why);
}

function formatOf(path: string, text: string, call: BuiltinCall): DataFormat {
  const ending = /\.([^./]+)(?:\.(?:gz|zst|zstd))?$/i.exec(path.toLowerCase())?.[1] ?? '';
  const known = byEnding[ending];
  if (known !== undefined) return known;
  if (/^\s*<(?:!doctype\s+html|html)\b/i.test(text)) return 'html';
  if (/^BEGIN:VCALENDAR/i.test(text)) return 'ics';
  if (/^\s*</.test(text)) return 'xml';
  throw call.invalid(
    `read_data: the name of ${call.shown} does not say what it is. Add { format: 'yaml' }, 'toml', 'xml', 'json', 'html' or 'ics'.`,
  );
}

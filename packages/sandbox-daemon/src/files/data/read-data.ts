import * as z from 'zod/mini';
import { messageOf, shorten, type SandboxError, type SandboxValue } from '@mustard-sandbox/protocol';
import { BuiltinCall } from '../call.ts';
import type { AsideContext } from '../context.ts';
import { mailKinds, type MailKind } from '../mail/kinds.ts';
import { readMail, readMails, type Pages } from '../mail/read-mails.ts';
import { parseOptions } from '../options.ts';
import { openSource } from '../source/source.ts';
import { kindOf } from './kinds.ts';
import { dataFormats, parsers, type DataFormat } from './parsers.ts';
import { valueAt } from './value-at.ts';

const MiB = 1024 * 1024;
/** The largest file, in bytes. It is in memory, and the trees of these libraries take up to a hundred times as much. */
const maxBytes: Record<DataFormat, number> = {
  yaml: 4 * MiB,
  toml: 4 * MiB,
  xml: 8 * MiB,
  json: 16 * MiB,
  html: 8 * MiB,
  ics: 8 * MiB,
};

const optionsSchema = z.strictObject({
  format: z.optional(z.enum([...dataFormats, ...mailKinds])),
  pointer: z._default(z.string().check(z.maxLength(1_000)), ''),
  start: z.optional(z.int().check(z.gte(0))),
  limit: z.optional(z.int().check(z.gte(1))),
});

/**
 * The value of a file of YAML, TOML, XML or JSON, the tables of a page, the entries of a calendar, or mails.
 *
 * @throws {SandboxError} like `openFile`, `script_error` for text of another kind, `limit_exceeded` for a file or a value
 *   that is too large
 */
export async function readData(context: AsideContext, [path, given]: readonly unknown[]): Promise<SandboxValue> {
  const call = new BuiltinCall('read_data', path);
  return await call.runAsync(async () => {
    const { format, pointer, ...pages } = parseOptions(optionsSchema, given, call);
    const kind = format ?? call.run(() => kindOf(context, path, call));
    return valueAt(await valueOf(context, path, kind, pages, call), pointer, call);
  });
}

async function valueOf(
  context: AsideContext,
  path: unknown,
  kind: DataFormat | MailKind,
  pages: Pages,
  call: BuiltinCall,
): Promise<unknown> {
  if (kind === 'mbox') return await readMails(context, path, pages, call);
  if (pages.start !== undefined || pages.limit !== undefined) {
    throw call.invalid(`read_data: start and limit are for a file of many mails (mbox), and ${call.shown} is none.`);
  }
  if (kind === 'eml') return await readMail(context, path, call);
  const text = readWhole(context, path, maxBytes[kind], call);
  try {
    return await parsers[kind](text);
  } catch (error) {
    throw call.failed('SyntaxError', `${call.shown} is no ${kind.toUpperCase()}: ${shorten(messageOf(error), 300)}`);
  }
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

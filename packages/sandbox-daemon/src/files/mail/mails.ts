import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import { openSource, type Source } from '../source/source.ts';
import type { MailKind } from './kinds.ts';
import { mailsIn, NoMbox } from './mbox.ts';
import { RawMailParts, type RawMail } from './raw-mail.ts';

/** Fields of which nearly every mail has several, and other texts have none. */
const field = /^(?:from|to|cc|subject|date|message-id|received|return-path|delivered-to|mime-version|reply-to):/im;
const headBytes = 64 * 1024;

/**
 * The mails of a file, one after the other, in bounded memory.
 *
 * @param start where to begin in the unpacked file, in bytes; it must be the start of a message
 * @throws {SandboxError} like `openSource`; `script_error` for a file that is not mail, `invalid_request` for a wrong
 *   `start`
 */
export function* mailsOf(
  context: BuiltinContext,
  path: unknown,
  kind: MailKind,
  call: BuiltinCall,
  start = 0,
): Generator<RawMail, void> {
  const opened = openRaw(context, path, call, start);
  using _ = opened.source;
  const pieces = piecesOf(opened, context);
  if (kind === 'eml') {
    yield oneMail(pieces, call);
    return;
  }
  try {
    yield* mailsIn(pieces, start);
  } catch (error) {
    if (!(error instanceof NoMbox)) throw error;
    if (start === 0) throw call.failed('SyntaxError', `${call.shown} is no MBOX: it begins with no mail.`);
    throw call.invalid(`read_data: no mail begins at ${start} of ${call.shown}. Take next of the answer before.`);
  }
}

function oneMail(pieces: Iterable<Buffer>, call: BuiltinCall): RawMail {
  const parts = new RawMailParts();
  for (const piece of pieces) parts.add(piece);
  const mail = parts.taken(0, true);
  if (field.test(mail.bytes.toString('latin1', 0, headBytes).split(/\n\r?\n/, 1)[0] as string)) return mail;
  throw call.failed('SyntaxError', `${call.shown} is no EML: it begins without the headers of a mail.`);
}

interface Opened {
  source: Source;
  /** How many bytes are before the requested start. */
  skipped: number;
}

/**
 * Opens a file as bytes, because each part of a mail names its own encoding. Only a text in UTF-16 is decoded.
 */
function openRaw(context: BuiltinContext, path: unknown, call: BuiltinCall, start: number): Opened {
  const { compression, encoding } = formatOf(context, path, call);
  if (encoding === undefined) throw call.failed('NotReadableError', `${call.shown} is no text.`);
  const isWide = encoding === 'utf16le' || encoding === 'utf16be';
  const canSeek = !isWide && compression === undefined;
  const source = openSource(context, path, call, isWide ? undefined : 'utf8', canSeek ? start : 0);
  return { source, skipped: canSeek ? 0 : start };
}

function formatOf(context: BuiltinContext, path: unknown, call: BuiltinCall): ReturnType<Source['format']> {
  using source = openSource(context, path, call);
  return source.format();
}

/** @param skipped how many bytes to leave out at the start */
function* piecesOf({ source, skipped }: Opened, { pace }: BuiltinContext): Generator<Buffer, void> {
  let left = skipped;
  for (let piece; (piece = source.next()) !== undefined;) {
    pace.check();
    if (piece.length > left) yield piece.subarray(left);
    left = Math.max(0, left - piece.length);
  }
}

import { maxValueBytes, type SandboxError } from '@mustard-sandbox/protocol';
import type { BuiltinCall } from '../call.ts';
import type { AsideContext } from '../context.ts';
import { mailsOf } from './mails.ts';
import { mailRecord, type MailRecord } from './record.ts';

/** Where to begin in the file, in bytes, and how many mails to give. */
export interface Pages {
  start?: number | undefined;
  limit?: number | undefined;
}

/** Some of the mails of a file. */
export interface MailPage {
  records: MailRecord[];
  /** Where the next one begins; absent at the end. */
  next?: number;
}

/** A page ends after this many bytes, which leave room in the value for the last mail. */
const pageBytes = 3 * 1024 * 1024;

/**
 * All mails of an mbox, or some of them if an option is given.
 *
 * @throws {SandboxError} like `mailsOf`; `limit_exceeded` for more than a value may hold
 */
export async function readMails(
  context: AsideContext,
  path: unknown,
  { start, limit = Infinity }: Pages,
  call: BuiltinCall,
): Promise<MailRecord[] | MailPage> {
  const isPaged = start !== undefined || limit !== Infinity;
  const records: MailRecord[] = [];
  let bytes = 0;
  for (const mail of mailsOf(context, path, 'mbox', call, start)) {
    const record = await context.pace.within(mailRecord(mail));
    records.push(record);
    bytes += weightOf(record);
    const isFull = records.length === limit || bytes > pageBytes;
    if (isPaged && isFull && !mail.isLast) return { records, next: mail.start + mail.size };
    if (!isPaged && bytes > maxValueBytes) throw tooMany(bytes, call);
  }
  return isPaged ? { records } : records;
}

/** The mail of a file with one mail. */
export async function readMail(context: AsideContext, path: unknown, call: BuiltinCall): Promise<MailRecord> {
  const [mail] = mailsOf(context, path, 'eml', call);
  const record = await context.pace.within(mailRecord(mail as NonNullable<typeof mail>));
  if (record.problem === undefined) return record;
  throw call.failed('SyntaxError', `${call.shown} cannot be read: ${record.problem}.`);
}

/** About how many bytes a record takes in the answer. */
function weightOf({ to, cc, attachments, subject, text, html }: MailRecord): number {
  const lists = 60 * (to.length + cc.length + attachments.length);
  return 500 + lists + subject.length + Buffer.byteLength(text) + Buffer.byteLength(html ?? '');
}

function tooMany(bytes: number, call: BuiltinCall): SandboxError {
  const how =
    '{ limit: 100 } gives { records, next }, and { start: next, limit: 100 } goes on; query counts and filters all of them.';
  const why = `the mails in ${call.shown} have more than a value may hold. Read them in pieces: ${how}`;
  return call.limitExceeded('argument_bytes', maxValueBytes, bytes, why);
}

import type { Address, Attachment, Email } from 'postal-mime';
import { messageOf, shorten } from '@mustard-sandbox/protocol';
import { asWindows1252 } from '../source/encodings.ts';
import { textOfHtml } from './html-text.ts';
import { unmarked } from './mbox.ts';
import type { RawMail } from './raw-mail.ts';

interface Person {
  name: string;
  address: string;
}

/** A mail for a script. Texts are decoded. A missing field is null or empty. */
export interface MailRecord {
  id: string | null;
  /** ISO 8601 in UTC; null when the mail has no valid date. */
  date: string | null;
  from: Person | null;
  to: Person[];
  cc: Person[];
  subject: string;
  /** The text. If the mail has only HTML, it is the text of that. */
  text: string;
  html: string | null;
  /** `size` is the decoded size, in bytes. */
  attachments: { name: string | null; type: string; size: number }[];
  /** The size in the file, in bytes. */
  size: number;
  /** Set when only the beginning of the mail, of a text or of a list is here. */
  truncated?: true;
  /** Why the mail could not be parsed. */
  problem?: string;
}

/** The longest text, in characters, each of which may take six bytes in the answer. */
const maxText = 512 * 1024;
/** The most people in each list, and the most attachments. */
const maxItems = 1_000;

/**
 * No mail has deeper parts or longer headers. A mail in a mail is taken as an attachment, because in base64 its lines and
 * parts could not be counted before.
 */
const limits = { maxNestingDepth: 50, maxHeadersSize: 512 * 1024, forceRfc822Attachments: true };

/** Node 20 decodes windows-1252 as Latin-1. Its quotation marks then become control characters, which no mail has. */
const isLatin1 = new TextDecoder('windows-1252').decode(Uint8Array.of(0x80)) === '\u0080';
const repaired = (text: string): string => (isLatin1 ? asWindows1252(text) : text);

/** Parses a mail. If it cannot be parsed, the record says why. */
export async function mailRecord(raw: RawMail): Promise<MailRecord> {
  const { default: PostalMime } = await import('postal-mime');
  let mail: Email;
  try {
    mail = await PostalMime.parse(unmarked(raw.bytes), limits);
  } catch (error) {
    return { ...empty(), size: raw.size, problem: shorten(messageOf(error), 200) };
  }
  // The empty lines at the end come from between two mails of an mbox.
  const html = mail.html === undefined ? null : repaired(mail.html).trimEnd();
  const plain = mail.text === undefined ? undefined : repaired(mail.text).trimEnd();
  const text = plain ?? (html === null ? '' : await textOfHtml(html.slice(0, maxText)));
  const [from = null] = peopleIn(mail.from === undefined ? [] : [mail.from]);
  const [to, cc, attachments] = [peopleIn(mail.to), peopleIn(mail.cc), mail.attachments.map(attachmentOf)];
  const isWhole =
    raw.bytes.length === raw.size &&
    [text, html ?? ''].every(({ length }) => length <= maxText) &&
    [to, cc, attachments].every(({ length }) => length <= maxItems);
  return {
    id: mail.messageId ?? null,
    date: dateOf(mail.headers.find(({ key }) => key === 'date')?.value),
    from,
    to: to.slice(0, maxItems),
    cc: cc.slice(0, maxItems),
    subject: repaired(mail.subject ?? ''),
    text: text.slice(0, maxText),
    html: html?.slice(0, maxText) ?? null,
    attachments: attachments.slice(0, maxItems),
    size: raw.size,
    ...(isWhole ? {} : { truncated: true }),
  };
}

function attachmentOf({ filename, mimeType, content }: Attachment): MailRecord['attachments'][number] {
  return {
    name: filename === null ? null : repaired(filename),
    type: mimeType,
    size: (content as ArrayBuffer | Uint8Array).byteLength,
  };
}

function empty(): MailRecord {
  return {
    id: null,
    date: null,
    from: null,
    to: [],
    cc: [],
    subject: '',
    text: '',
    html: null,
    attachments: [],
    size: 0,
  };
}

/** The people in a list of addresses. The members of a group are listed one by one. */
function peopleIn(addresses: readonly Address[] = []): Person[] {
  return addresses
    .flatMap((one) => one.group ?? [one as Person])
    .map(({ name, address }) => ({ name: repaired(name), address: address ?? '' }));
}

/** The date of a mail. A time without a zone counts as UTC, because this machine's zone has nothing to do with the mail. */
function dateOf(header = ''): string | null {
  const plain = header.replaceAll(/\([^()]*\)/g, ' ').trim();
  const hasZone = /(?:[+-]\d{4}|\d Z|[A-Z]{3,4})$/i.test(plain);
  const date = new Date(hasZone ? plain : `${plain} +0000`);
  return plain === '' || Number.isNaN(date.getTime()) ? null : date.toISOString();
}

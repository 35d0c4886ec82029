import type { Address, Attachment, Email } from 'postal-mime';
import { messageOf, shorten } from '@mustard-sandbox/protocol';
import { asWindows1252 } from '../source/windows-1252.ts';
import { textOfHtml } from './html-text.ts';
import { unmarked } from './mbox.ts';
import type { RawMail } from './raw-mail.ts';

interface Person {
  name: string;
  address: string;
}

/** A mail for a script. Texts are decoded, and what the mail does not have is null or empty. */
export interface MailRecord {
  id: string | null;
  /** ISO 8601 in UTC; null where the mail has none that can be read. */
  date: string | null;
  from: Person | null;
  to: Person[];
  cc: Person[];
  subject: string;
  /** Of a mail that has only HTML, the words of that. */
  text: string;
  html: string | null;
  /** `size` in bytes, unpacked. */
  attachments: { name: string | null; type: string; size: number }[];
  /** In bytes, as it lies in its file. */
  size: number;
  /** Only the beginning of the mail, of its texts or of its lists is here. */
  truncated?: true;
  /** Why it could not be taken apart. */
  problem?: string;
}

/** In characters, each of which may take six bytes in the answer. */
const maxText = 512 * 1024;
/** So many people are in each list, and so many attachments. */
const maxItems = 1_000;

/**
 * No mail has deeper parts or longer headers. A mail in a mail is an attachment: packed in base64, its lines and parts
 * could not be counted before.
 */
const limits = { maxNestingDepth: 50, maxHeadersSize: 512 * 1024, forceRfc822Attachments: true };

/** Node 20 takes windows-1252 for Latin-1, so its quotation marks become control characters, which no mail has. */
const isLatin1 = new TextDecoder('windows-1252').decode(Uint8Array.of(0x80)) === '\u0080';
const repaired = (text: string): string => (isLatin1 ? asWindows1252(text) : text);

/** Takes a mail apart. Of one that cannot be, the record says why. */
export async function mailRecord(raw: RawMail): Promise<MailRecord> {
  const { default: PostalMime } = await import('postal-mime');
  let mail: Email;
  try {
    mail = await PostalMime.parse(unmarked(raw.bytes), limits);
  } catch (error) {
    return { ...empty(), size: raw.size, problem: shorten(messageOf(error), 200) };
  }
  // Between two mails of an mbox there are empty lines.
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

/** The members of a group are people of their own. */
function peopleIn(addresses: readonly Address[] = []): Person[] {
  return addresses
    .flatMap((one) => one.group ?? [one as Person])
    .map(({ name, address }) => ({ name: repaired(name), address: address ?? '' }));
}

/** A time without a zone is taken for UTC: that of this machine says nothing about a mail. */
function dateOf(header = ''): string | null {
  const plain = header.replaceAll(/\([^()]*\)/g, ' ').trim();
  const hasZone = /(?:[+-]\d{4}|\d Z|[A-Z]{3,4})$/i.test(plain);
  const date = new Date(hasZone ? plain : `${plain} +0000`);
  return plain === '' || Number.isNaN(date.getTime()) ? null : date.toISOString();
}

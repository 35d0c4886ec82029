import { StringDecoder } from 'node:string_decoder';

/** One tag of XML, with the text before it. */
export interface Tag {
  /** The name without the prefix of its namespace. */
  name: string;
  kind: 'open' | 'close' | 'empty';
  /** The attributes as they are written. */
  attributes: string;
  /** The text since the previous tag, decoded. */
  text: string;
}

const colon = 0x3a;

/** A longer tag or text does not occur in a spreadsheet. */
const maxOpen = 4 * 1024 * 1024;

/**
 * The tags of the XML in a spreadsheet. It must have no document type, and so declares no entities.
 *
 * @throws {Error} for other XML
 */
export function* tagsOf(pieces: Iterable<Buffer>): Generator<Tag, void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let text = '';
  for (const piece of pieces) {
    rest += decoder.write(piece);
    if (rest.length > maxOpen) throw new Error('a value is too long');
    let at = 0;
    for (;;) {
      const start = rest.indexOf('<', at);
      if (start === -1) break;
      const special = specialAt(rest, start);
      const end = special === undefined ? rest.indexOf('>', start) + 1 : special.end;
      if (end === 0) break;
      text += decoded(rest.slice(at, start)) + (special?.text ?? '');
      at = end;
      if (special !== undefined) continue;
      yield tagIn(rest.slice(start + 1, end - 1), text);
      text = '';
    }
    rest = rest.slice(at);
  }
  if (rest.trim() !== '') throw new Error('it is cut off');
}

/** A comment, a piece of plain text or an instruction. `end` is 0 when it is not complete yet. */
function specialAt(xml: string, start: number): { end: number; text: string } | undefined {
  const after = (mark: string): number => xml.indexOf(mark, start) + mark.length;
  const found = (end: number, mark: string): number => (end < mark.length ? 0 : end);
  if (xml.startsWith('<!--', start)) return { end: found(after('-->'), '-->'), text: '' };
  if (xml.startsWith('<?', start)) return { end: found(after('?>'), '?>'), text: '' };
  if (xml.startsWith('<![CDATA[', start)) {
    const end = found(after(']]>'), ']]>');
    return { end, text: end === 0 ? '' : xml.slice(start + 9, end - 3) };
  }
  if (xml.startsWith('<!D', start)) throw new Error('it declares entities');
  // There are not enough characters to tell.
  return xml.startsWith('<!', start) && xml.length - start < 9 ? { end: 0, text: '' } : undefined;
}

/** It is written by hand for speed, because a sheet has several tags for each of its cells. */
function tagIn(inner: string, text: string): Tag {
  const kind = inner.startsWith('/') ? 'close' : inner.endsWith('/') ? 'empty' : 'open';
  const end = kind === 'empty' ? inner.length - 1 : inner.length;
  let start = kind === 'close' ? 1 : 0;
  let at = start;
  for (; at < end; at++) {
    const code = inner.charCodeAt(at);
    if (code === colon) start = at + 1;
    else if (isBlank(code)) break;
  }
  return { name: inner.slice(start, at), kind, attributes: inner.slice(at, end), text };
}

/** The value of an attribute, decoded. */
export function attribute({ attributes }: Pick<Tag, 'attributes'>, name: string): string | undefined {
  for (let at = attributes.indexOf(name); at !== -1; at = attributes.indexOf(name, at + 1)) {
    const value = valueBehind(attributes, at + name.length);
    if (isBlank(attributes.charCodeAt(at - 1)) && value !== undefined) return decoded(value);
  }
  return undefined;
}

/** The value of an attribute with any prefix, such as `r:id`. */
export function prefixedAttribute({ attributes }: Pick<Tag, 'attributes'>, name: string): string | undefined {
  const at = attributes.indexOf(`:${name}=`);
  return at === -1 ? undefined : valueBehind(attributes, at + name.length + 1);
}

/**
 * The value in quotes after a `=`. It is written by hand for speed, because a sheet has at least one attribute for each
 * of its cells.
 */
function valueBehind(attributes: string, start: number): string | undefined {
  let at = start;
  while (isBlank(attributes.charCodeAt(at))) at++;
  if (attributes[at] !== '=') return undefined;
  at++;
  while (isBlank(attributes.charCodeAt(at))) at++;
  const quote = attributes[at];
  const end = quote === '"' || quote === "'" ? attributes.indexOf(quote, at + 1) : -1;
  return end === -1 ? undefined : attributes.slice(at + 1, end);
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w+));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[name as string] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  });
}

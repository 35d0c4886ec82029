import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import * as z from 'zod';
import { parse } from '../options.ts';
import { badAttachment, type Content } from './content.ts';

const mediaType = z
  .string()
  .regex(/^[\w.+-]+\/[\w.+-]+\s*(;[^\p{Cc}]*)?$/u, 'is not a media type; write for example text/plain')
  .optional();

const fileSchema = z.strictObject({
  /** Taken literally and never as a pattern. */
  path: z.string().min(1, 'is empty'),
  /** The name that the model and scripts see. Default: the path. */
  name: z.string().min(1, 'is empty').optional(),
  /** Default: the type that the bytes show. */
  mediaType,
});

const dataSchema = z.strictObject({
  /** Bytes, text, or a data URL. */
  data: z.custom<string | Uint8Array>(
    (value) => typeof value === 'string' || value instanceof Uint8Array,
    'must be a string or a Uint8Array',
  ),
  name: z.string().min(1, 'is empty'),
  mediaType,
});

/** A file's path, a glob pattern, or an object for what needs more than that. */
export type AttachmentInput = string | z.input<typeof fileSchema> | z.input<typeof dataSchema>;

/** A file or bytes that nobody has looked at. */
export interface DeclaredAttachment {
  /**
   * The host's name. Otherwise the path relative to the working directory, or its last part when it is not below that.
   */
  name: string;
  content: Content;
  /** `undefined` while only the content can tell. */
  mediaType: string | undefined;
  /** What the host wrote. All files of a pattern share one object. */
  source: { text: string; isPattern: boolean };
}

/**
 * The attachment that one input declares. A text is returned unchanged, because only the disk can tell whether it is a
 * path or a pattern.
 *
 * @throws {SandboxError} `invalid_request` naming which input is wrong, and how
 */
export function parseInput(input: unknown, index: number, cwd: string): string | DeclaredAttachment {
  const what = `prepareUserMessage(): attachments[${index}]`;
  if (typeof input === 'string') return parse(z.string().min(1, 'is an empty path'), input, what);
  if (typeof input === 'object' && input !== null && 'data' in input) {
    const { data, name, mediaType } = parse(dataSchema, input, what);
    return { name, ...bytesOf(name, data, mediaType), source: { text: name, isPattern: false } };
  }
  const { path, name, mediaType } = parse(fileSchema, input, what);
  // A person is asked with the name that they know, because the path may be one of a store, which is a hash.
  const file = fileAt(resolve(cwd, path), cwd, { text: name ?? path, isPattern: false });
  return { ...file, name: name ?? file.name, mediaType };
}

/** A file that was declared by its path alone. */
export function fileAt(path: string, cwd: string, source: DeclaredAttachment['source']): DeclaredAttachment {
  const below = relative(cwd, path);
  const isBelow = below !== '' && below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
  const name = isBelow ? below.replaceAll(sep, '/') : basename(path);
  return { name, content: { path }, mediaType: undefined, source };
}

function bytesOf(
  name: string,
  data: string | Uint8Array,
  mediaType: string | undefined,
): Pick<DeclaredAttachment, 'content' | 'mediaType'> {
  if (typeof data !== 'string') return { content: { bytes: data }, mediaType };
  if (!isDataUrl(data)) return { content: { bytes: Buffer.from(data) }, mediaType };
  const url = parseDataUrl(data);
  if (url === undefined) throw badAttachment(name, 'its data URL is malformed');
  if (mediaType !== undefined && url.mediaType !== undefined && essence(mediaType) !== essence(url.mediaType)) {
    throw badAttachment(name, `mediaType says ${mediaType}, its data URL ${url.mediaType}`);
  }
  return { content: { bytes: url.bytes }, mediaType: mediaType ?? url.mediaType };
}

function essence(mediaType: string): string {
  return mediaType.toLowerCase().replace(/\s*;.*/s, '');
}

/** Bytes, and the media type if the URL names one. */
interface DataUrl {
  bytes: Uint8Array;
  mediaType?: string;
}

/** A text may begin with `data:` without being a URL, as YAML can. */
function isDataUrl(text: string): boolean {
  return /^data:(?:[\w.+-]+\/[\w.+-]+|[;,])/i.test(text);
}

/** Returns `undefined` for a malformed URL. */
function parseDataUrl(url: string): DataUrl | undefined {
  const comma = url.indexOf(',');
  if (comma < 0) return undefined;
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';');
  const body = url.slice(comma + 1);
  const isBase64 = parameters.at(-1)?.trim().toLowerCase() === 'base64';
  const bytes = isBase64 ? fromBase64(body) : fromPercents(body);
  if (bytes === undefined) return undefined;
  return { bytes, ...(mediaType.trim() !== '' && { mediaType: mediaType.trim() }) };
}

/** Node would accept any text as base64 and skip what it does not understand. */
function fromBase64(text: string): Uint8Array | undefined {
  const digits = (text.includes('%') ? fromPercents(text).toString('latin1') : text).replace(/[\t\n\f\r ]+/g, '');
  const padding = digits.endsWith('==') ? 2 : digits.endsWith('=') ? 1 : 0;
  const bytes = Buffer.from(digits, 'base64');
  const expected = Math.floor(((digits.length - padding) * 3) / 4);
  const wellFormed = /^[A-Za-z0-9+/]*={0,2}$/.test(digits) && (padding === 0 || digits.length % 4 === 0);
  return wellFormed && (digits.length - padding) % 4 !== 1 && bytes.length === expected ? bytes : undefined;
}

/** A `%` without two hex digits stands for itself, as in browsers. */
function fromPercents(text: string): Buffer {
  const pieces = text.split(/((?:%[0-9a-f]{2})+)/i);
  return Buffer.concat(
    pieces.map((piece, index) =>
      index % 2 === 1 ? Buffer.from(piece.replaceAll('%', ''), 'hex') : Buffer.from(piece, 'utf8'),
    ),
  );
}

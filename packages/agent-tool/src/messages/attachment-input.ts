import * as z from 'zod';
import { parse } from '../options.ts';
import type { Content } from './content.ts';
import { parseDataUrl, isDataUrl } from './data-url.ts';
import { badAttachment } from './failure.ts';

const mediaType = z
  .string()
  .regex(/^[\w.+-]+\/[\w.+-]+\s*(;[^\p{Cc}]*)?$/u, 'is no media type; write for example text/plain')
  .optional();

const fileSchema = z.strictObject({
  /** Taken literally, never as a pattern. */
  path: z.string().min(1, 'is empty'),
  /** What the model and scripts see; none: the path's. */
  name: z.string().min(1, 'is empty').optional(),
  /** None: the bytes tell it. */
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

/** An input that is not looked up yet. */
export type ParsedInput =
  | { kind: 'path-or-pattern'; text: string }
  | { kind: 'content'; content: Content; name: string | undefined; mediaType: string | undefined };

/** @throws {SandboxError} `invalid_request` naming which input is wrong, and how */
export function parseInput(input: unknown, index: number): ParsedInput {
  const what = `prepareUserMessage(): attachments[${index}]`;
  if (typeof input === 'string') {
    return { kind: 'path-or-pattern', text: parse(z.string().min(1, 'is an empty path'), input, what) };
  }
  if (typeof input === 'object' && input !== null && 'data' in input) {
    const { data, name, mediaType } = parse(dataSchema, input, what);
    return { kind: 'content', name, ...bytesOf(name, data, mediaType) };
  }
  const { path, name, mediaType } = parse(fileSchema, input, what);
  return { kind: 'content', content: { path }, name, mediaType };
}

function bytesOf(
  name: string,
  data: string | Uint8Array,
  mediaType: string | undefined,
): { content: Content; mediaType: string | undefined } {
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

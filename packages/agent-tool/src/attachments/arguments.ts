import { invalidRequest } from '@mustard-sandbox/protocol';
import * as z from 'zod';
import type { AgentEventListener } from '../events.ts';
import { defaultMediaDir } from './attachment.ts';
import type { StoreSource } from './copy.ts';
import { parseMediaType } from './media-type.ts';

/** The host's name for one of its chats. */
export const chatSchema = z.string().min(1, 'is empty').max(256);

export const constructorOptionsSchema = z.strictObject({
  /** Where the files go: a folder below `appPath`, relative to it. */
  mediaDir: z.string().min(1).default(defaultMediaDir),
  /**
   * The chat of these attachments: any text that identifies it, and stays the same when the chat continues. The store
   * lists, finds and removes only attachments of this chat. A store without a chat sees those that were stored without
   * one. Content that several chats stored is on disk once.
   */
  chat: chatSchema.optional(),
  /** Called for each file that is stored, and when the manifest had to be rebuilt. */
  events: z.custom<AgentEventListener>((value) => typeof value === 'function', 'must be a function').optional(),
  /** How long to wait for other processes that work on the same folder, in ms. */
  lockWaitMs: z.number().int().nonnegative().default(30_000),
});

/** Options of an `AttachmentStore`. */
export type AttachmentStoreOptions = z.input<typeof constructorOptionsSchema>;

export const cleanupOptionsSchema = z.strictObject({
  olderThanMs: z.number().nonnegative(),
  keep: z
    .custom<Iterable<string> | AsyncIterable<string>>(isIterable, 'must be a list of names and texts, not a single one')
    .optional(),
});

export const storeOptionsSchema = z.strictObject({
  /** Aborting it ends the copy and leaves nothing behind. */
  signal: z.instanceof(AbortSignal, { error: 'must be an AbortSignal' }).optional(),
  /** Called with the number of bytes that are copied so far. */
  onProgress: z
    .custom<(bytes: number) => void>((value) => typeof value === 'function', 'must be a function')
    .optional(),
});

/** Options of one call of `store`. */
export type StoreOptions = z.input<typeof storeOptionsSchema>;

/** The name and the type under which the caller wants a file stored. */
export interface Wish {
  originalName: string;
  mediaType: string | undefined;
}

export function checkSource(source: unknown): asserts source is StoreSource {
  if (typeof source === 'string') {
    if (source === '' || source.includes('\0'))
      throw invalidRequest('store(): the path of the file is empty or has a NUL');
  } else if (typeof (source as Partial<AsyncIterable<unknown>> | null)?.[Symbol.asyncIterator] !== 'function') {
    throw invalidRequest(
      "store(): the source must be a file's path or a stream of bytes (Readable.from([bytes]) makes one)",
    );
  }
}

/** Far longer than a name on any system. There is a limit because the manifest keeps the name. */
const maxOriginalNameLength = 4096;

export function checkWish(originalName: unknown, mediaType: unknown): Wish {
  if (typeof originalName !== 'string' || originalName.length > maxOriginalNameLength) {
    throw invalidRequest(`store(): originalName must be a string of at most ${maxOriginalNameLength} characters`);
  }
  const type = mediaType === undefined ? undefined : typeof mediaType === 'string' ? parseMediaType(mediaType) : null;
  if (type === null)
    throw invalidRequest(`store(): mediaType ${JSON.stringify(mediaType)} is not a media type such as text/plain`);
  return { originalName, mediaType: type };
}

function isIterable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Symbol.iterator in value || Symbol.asyncIterator in value;
}

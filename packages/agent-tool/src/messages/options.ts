import * as z from 'zod';
import type { StoredAttachment } from '../attachments/attachment.ts';
import { parseBytes } from '../sizes.ts';
import type { AttachmentInput } from './attachment-input.ts';
import type { SizeRules } from './size-policy.ts';
import type { SizePrompt } from './size-summary.ts';

/** The parts that a user message can have, in the form of the AI SDK 6 (`UserContent`). */
export type UserPart =
  | { type: 'text'; text: string }
  | { type: 'image'; image: Uint8Array; mediaType: string }
  | { type: 'file'; data: Uint8Array; mediaType: string; filename: string };

/** Assignable to the AI SDK's `UserModelMessage`. */
export interface UserMessage {
  role: 'user';
  content: UserPart[];
}

/** Stores the files that a message only names. `AttachmentStore` implements it. */
export interface AttachmentSink {
  /** @param source a path, or the bytes */
  store(
    source: string | AsyncIterable<Uint8Array>,
    originalName: string,
    mediaType?: string,
    options?: { signal?: AbortSignal },
  ): Promise<StoredAttachment>;
}

const size = z.union([z.string(), z.number()], 'must be a size, such as 512KB');

export const messageOptionsSchema = z.strictObject({
  /**
   * `local-agent`: the model has tools, and files stay on disk. `default-chat`: the model has no tools, and gets the
   * content of the files.
   */
  mode: z.enum(['local-agent', 'default-chat']),
  /** What the user wrote. */
  text: z.string(),
  /** Paths, glob patterns, `{ path, name?, mediaType? }` or `{ data, name, mediaType? }`. */
  attachments: z.array(z.custom<AttachmentInput>()).readonly().default([]),
  /** `local-agent`: whether scripts can run here, as the tool's `isEnabled()` says. */
  scripting: z.boolean().default(true),
  /** `local-agent`: where attachments go. */
  store: z
    .custom<AttachmentSink>(
      (value) => typeof (value as AttachmentSink | null | undefined)?.store === 'function',
      'must be an AttachmentStore',
    )
    .optional(),
  /** The folder that relative paths and patterns start at. Default: the process's working directory. */
  cwd: z.string().min(1).optional(),
  /**
   * How much becomes part of the message without a question (`local-agent`: of images), in bytes or as a text such as
   * `512KB`.
   */
  sizeThreshold: size.default('512KB'),
  /** What happens above the threshold. `truncate` cuts texts, so it attaches the images of `local-agent` unchanged. */
  sizePolicy: z.enum(['ask', 'allow', 'truncate', 'reject']).default('ask'),
  /** `default-chat`: the size that a text is cut to. Default: half of the threshold. */
  truncateTo: size.optional(),
  /** The function that the policy `ask` asks. Default: the terminal; without a terminal nobody is asked. */
  sizePrompt: z.custom<SizePrompt>((value) => typeof value === 'function', 'must be a function').optional(),
  /** Aborting it rejects with `cancelled`. */
  signal: z.custom<AbortSignal>((value) => value instanceof AbortSignal, 'must be an AbortSignal').optional(),
});

/** What the user wrote and attached, and how it reaches the model. Sizes are in bytes, or texts such as `512KB`. */
export type PrepareUserMessageOptions = z.input<typeof messageOptionsSchema>;

type MessageOptions = z.output<typeof messageOptionsSchema>;

/** @throws {SandboxError} `invalid_request` for a text that is not a size */
export function sizeRules({ sizeThreshold, sizePolicy, truncateTo, sizePrompt }: MessageOptions): SizeRules {
  const thresholdBytes = parseBytes(sizeThreshold, 'sizeThreshold');
  const truncateToBytes =
    truncateTo === undefined ? Math.floor(thresholdBytes / 2) : parseBytes(truncateTo, 'truncateTo');
  return { thresholdBytes, truncateToBytes, policy: sizePolicy, prompt: sizePrompt };
}

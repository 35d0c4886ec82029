import { resolve } from 'node:path';
import { invalidRequest } from '@mustard-sandbox/protocol';
import type { StoredAttachment } from '../attachments/attachment.ts';
import { parse } from '../options.ts';
import { throwIfCancelled } from './content.ts';
import { inlinePart } from './default-chat.ts';
import { isInlined, storeParts } from './local-agent.ts';
import {
  messageOptionsSchema,
  sizeRules,
  type PrepareUserMessageOptions,
  type UserMessage,
  type UserPart,
} from './options.ts';
import { resolveAttachments, totalOf, type ResolvedAttachment } from './resolve-attachments.ts';
import { decide, summarize, type SizeRules } from './size-policy.ts';

/** A message that is ready to be sent. */
export interface PreparedUserMessage {
  status: 'prepared';
  /** The message to append to the conversation. */
  message: UserMessage;
  /** The content of the message: the attachments in the order given, and the user's text last. */
  parts: UserPart[];
  /** `local-agent`: the files that scripts can read now, each once. */
  stored: StoredAttachment[];
  /** The names of the texts that were cut. */
  truncated: string[];
  /** The size of all attachments before anything was cut. */
  totalBytes: number;
}

/** The user was asked whether to attach so much, and chose not to send the message. */
export interface CancelledUserMessage {
  status: 'cancelled';
  totalBytes: number;
}

/**
 * Turns what a user wrote and attached into one message for a model. It never reads or changes the system prompt or
 * earlier messages.
 *
 * `local-agent`: everything is stored, and nothing is inlined. A block just before the user's text names the files for
 * `execute_sandbox_script`; images are also parts of the message.
 *
 * `default-chat`: texts are inlined, images are image parts, other files are file parts, and nothing is stored.
 *
 * When the bytes that become part of the message exceed `sizeThreshold`, `sizePolicy` decides, and may ask the user. It
 * does so before anything is stored.
 *
 * @throws {SandboxError} `invalid_request` naming the option or the attachment that is wrong; `limit_exceeded` by the
 *   policy `reject`; `cancelled` by the signal; the errors of the store and of the prompt
 */
export async function prepareUserMessage(
  options: PrepareUserMessageOptions,
): Promise<PreparedUserMessage | CancelledUserMessage> {
  const parsed = parse(messageOptionsSchema, options, 'prepareUserMessage()');
  const { mode, text, scripting, store, signal } = parsed;
  const rules = sizeRules(parsed);
  if (text === '' && parsed.attachments.length === 0)
    throw invalidRequest('prepareUserMessage()', 'there is neither a text nor an attachment');
  throwIfCancelled(signal);
  const attachments = await resolveAttachments(parsed.attachments, resolve(parsed.cwd ?? '.'), signal);
  const totalBytes = totalOf(attachments);
  if (mode === 'default-chat') {
    const inlined = await inlineParts(attachments, rules, signal);
    if (inlined === undefined) return { status: 'cancelled', totalBytes };
    return prepared(text, { ...inlined, stored: [], totalBytes });
  }
  if (attachments.length === 0) return prepared(text, { parts: [], stored: [], truncated: [], totalBytes });
  if (store === undefined)
    throw invalidRequest('prepareUserMessage()', "the mode 'local-agent' stores attachments: pass it a store");
  // `truncate` cuts texts, and these are images, so they are attached unchanged, as in the other mode.
  const answer = await decide(summarize(attachments.filter(isInlined), rules), rules, signal);
  if (answer === 'cancel') return { status: 'cancelled', totalBytes };
  return prepared(text, { ...(await storeParts(attachments, store, scripting, signal)), truncated: [], totalBytes });
}

type Attached = Omit<PreparedUserMessage, 'status' | 'message'>;

/** Providers refuse an empty text, so it gets no part. */
function prepared(text: string, { parts, ...rest }: Attached): PreparedUserMessage {
  const content: UserPart[] = text === '' ? parts : [...parts, { type: 'text', text }];
  return { status: 'prepared', message: { role: 'user', content }, parts: content, ...rest };
}

/** Returns `undefined` when the user cancelled. */
async function inlineParts(
  attachments: readonly ResolvedAttachment[],
  rules: SizeRules,
  signal: AbortSignal | undefined,
): Promise<Pick<Attached, 'parts' | 'truncated'> | undefined> {
  const answer = await decide(summarize(attachments, rules), rules, signal);
  if (answer === 'cancel') return undefined;
  const parts: UserPart[] = [];
  const truncated: string[] = [];
  for (const attachment of attachments) {
    throwIfCancelled(signal);
    const inlined = await inlinePart(attachment, answer === 'truncate' ? rules.truncateToBytes : undefined);
    parts.push(inlined.part);
    if (inlined.truncated) truncated.push(attachment.name);
  }
  return { parts, truncated };
}

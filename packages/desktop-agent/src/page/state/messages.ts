// Applies events to the messages of a chat. Each function returns the same array when nothing changed.
import type { EventData, Message, Part } from '../../shared/contract/index.ts';

type Chunk = EventData<'chat:response:chunk'>;

/** Appends a chunk. `undefined` means that the page has missed something and has to load the chat again. */
export function withChunk(messages: readonly Message[], chunk: Chunk): readonly Message[] | undefined {
  const { messageId, index, type, offset, text } = chunk;
  const message = messages.find(({ id }) => id === messageId);
  const part = message?.parts[index];
  if (message === undefined || index > message.parts.length) return undefined;
  if (part === undefined) {
    return offset === 0 ? withParts(messages, message, [...message.parts, { type, text }]) : undefined;
  }
  if (part.type !== type || offset > part.text.length) return undefined;
  // A chunk may repeat text that the chat had when the page asked for it.
  const known = part.text.length - offset;
  if (known >= text.length) return messages;
  const parts = message.parts.with(index, { type, text: part.text + text.slice(known) });
  return withParts(messages, message, parts);
}

/** Replaces or adds a part; `undefined` as for `withChunk`. */
export function withPart(
  messages: readonly Message[],
  { messageId, index, part }: EventData<'chat:response:part'>,
): readonly Message[] | undefined {
  const message = messages.find(({ id }) => id === messageId);
  if (message === undefined || index > message.parts.length) return undefined;
  const parts = [...message.parts];
  parts[index] = part;
  return withParts(messages, message, parts);
}

/** The message in its place, or at the end when it is new. */
export function withMessage(messages: readonly Message[], message: Message): readonly Message[] {
  const index = messages.findIndex(({ id }) => id === message.id);
  return index === -1 ? [...messages, message] : messages.with(index, message);
}

function withParts(messages: readonly Message[], message: Message, parts: Part[]): readonly Message[] {
  return messages.with(messages.indexOf(message), { ...message, parts });
}

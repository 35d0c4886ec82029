import { bytesAt, ownBytes, type Bytes } from '../archives/bytes.ts';
import { spendInAll } from '../budget.ts';
import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import { footerOf, schemaMessage } from './footer.ts';
import { checkMetadata, messageKinds, type MessageFacts } from './metadata.ts';

/** One message: the schema, a dictionary, or a batch of rows. */
export interface Message extends Pick<MessageFacts, 'kind'> {
  /** Its head and its body, in memory of its own. */
  bytes: Uint8Array<ArrayBuffer>;
}

export const arrowMark = 'ARROW1';
const maxMetadata = 4 * 1024 * 1024;
/** A batch is held as a whole. */
const maxBody = 64 * 1024 * 1024;

/**
 * The messages of a file or a stream of Arrow: first the schema, and each dictionary before the rows that use it.
 *
 * @throws {Error} for what is broken or cut off
 * @throws {SandboxError} `limit_exceeded` for a batch that is too large, and for more than the run may read
 */
export function* messagesOf(bytes: Bytes, context: BuiltinContext, call: BuiltinCall): Generator<Message, void> {
  const isFile = bytesAt(bytes, 0, arrowMark.length).toString('latin1') === arrowMark;
  yield* isFile ? messagesOfFile(bytes, context, call) : messagesOfStream(bytes, context, call);
}

/** In a file the list at its end says where everything is. */
function* messagesOfFile(bytes: Bytes, context: BuiltinContext, call: BuiltinCall): Generator<Message, void> {
  const tailBytes = 4 + arrowMark.length;
  const tail = bytesAt(bytes, bytes.size - tailBytes, bytes.size);
  if (bytes.size < 2 * tailBytes || tail.toString('latin1', 4) !== arrowMark) throw new Error('it is cut off');
  const length = tail.readInt32LE(0);
  if (length <= 0 || length > maxMetadata || length > bytes.size - tailBytes) throw new Error('its end is broken');
  spendInAll(context.budget, length, call);
  const footer = footerOf(bytesAt(bytes, bytes.size - tailBytes - length, bytes.size - tailBytes));
  yield { kind: messageKinds.schema, bytes: schemaMessage(footer) };
  for (const at of [...footer.dictionaries, ...footer.records]) {
    const message = messageAt(bytes, at, context, call);
    if (message === undefined) throw new Error('a batch is missing');
    yield message;
  }
}

function* messagesOfStream(bytes: Bytes, context: BuiltinContext, call: BuiltinCall): Generator<Message, void> {
  for (let at = 0; at < bytes.size;) {
    const message = messageAt(bytes, at, context, call);
    if (message === undefined) return;
    yield message;
    at += message.bytes.length;
  }
}

/** The message at a place; `undefined` where it says that nothing follows. */
function messageAt(bytes: Bytes, at: number, context: BuiltinContext, call: BuiltinCall): Message | undefined {
  const head = bytesAt(bytes, at, at + 8);
  if (head.length < 8) throw new Error('it is cut off');
  // Before version 0.15 there was no -1 before the length.
  const headBytes = head.readInt32LE(0) === -1 ? 8 : 4;
  const length = head.readInt32LE(headBytes - 4);
  if (length === 0) return undefined;
  if (length < 0 || length > maxMetadata) throw new Error('it is no Arrow');
  const metadata = bytesAt(bytes, at + headBytes, at + headBytes + length);
  if (metadata.length < length) throw new Error('it is cut off');
  const { kind, bodyLength } = checkMetadata(metadata);
  if (bodyLength < 0) throw new Error('a message has no length');
  if (bodyLength > maxBody) throw tooLarge(bodyLength, call);
  const size = headBytes + length + bodyLength;
  spendInAll(context.budget, size, call);
  const message = ownBytes({ size, read: (buffer, position) => bytes.read(buffer, at + position) });
  if (message.length < size) throw new Error('it is cut off');
  return { kind, bytes: message };
}

function tooLarge(size: number, call: BuiltinCall): Error {
  const why =
    `${call.shown} has a batch of ${size} bytes, and one may have ${maxBody}. ` +
    'Tell the user to write it in smaller batches, or as Parquet.';
  return call.limitExceeded('read_bytes', maxBody, size, why);
}

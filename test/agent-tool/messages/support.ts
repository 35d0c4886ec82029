import {
  prepareUserMessage,
  type PreparedUserMessage,
  type PrepareUserMessageOptions,
} from '@mustard-sandbox/agent-tool';

/** The smallest PNG: one pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
export const gif = Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1');
export const pdf = Buffer.from('%PDF-1.4\n%%EOF\n');
export const binary = Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0xff, 0xfe, 0xfd, 0x00]);

/** The message, which nobody cancelled. */
export async function prepare(options: PrepareUserMessageOptions): Promise<PreparedUserMessage> {
  const result = await prepareUserMessage(options);
  if (result.status === 'cancelled') throw new Error('The message was cancelled');
  return result;
}

/** The texts of a message in their order. */
export function textsOf({ parts }: PreparedUserMessage): string[] {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import {
  prepareUserMessage,
  type AttachmentSink,
  type PreparedUserMessage,
  type PrepareUserMessageOptions,
  type StoredAttachment,
} from '@mustard-sandbox/agent-tool';

/** The smallest PNG: one pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
export const gif = Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1');
export const pdf = Buffer.from('%PDF-1.4\n%%EOF\n');
export const binary = Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0xff, 0xfe, 0xfd, 0x00]);

const mimeTypes: Record<string, string> = { '.json': 'application/json', '.png': 'image/png' };

/** A folder that keeps what it is given under the name and its hash: all that messages need of a store. */
export function folderStore(folder: string): AttachmentSink & { stored: StoredAttachment[] } {
  const stored: StoredAttachment[] = [];
  return {
    stored,
    async store(source, originalName, mimeType) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of typeof source === 'string' ? createReadStream(source) : source) {
        chunks.push(chunk as Uint8Array);
      }
      const sha256 = createHash('sha256').update(Buffer.concat(chunks)).digest('hex');
      const known = stored.find((file) => file.sha256 === sha256);
      if (known !== undefined) return known;
      await mkdir(folder, { recursive: true });
      const extension = extname(originalName);
      const path = join(folder, sha256 + extension);
      await writeFile(`${path}.tmp`, Buffer.concat(chunks));
      await rename(`${path}.tmp`, path);
      const file: StoredAttachment = {
        name: uniqueName(originalName, stored),
        path,
        size: (await stat(path)).size,
        mimeType: mimeType ?? mimeTypes[extension] ?? 'text/plain',
        sha256,
        originalName,
        storedAt: new Date().toISOString(),
      };
      stored.push(file);
      return file;
    },
  };
}

function uniqueName(originalName: string, stored: StoredAttachment[]): string {
  const extension = extname(originalName);
  const stem = basename(originalName, extension);
  const taken = new Set(stored.map(({ name }) => name));
  let name = originalName;
  for (let number = 2; taken.has(name); number++) name = `${stem}-${number}${extension}`;
  return name;
}

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

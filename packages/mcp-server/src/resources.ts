import type { FileHandle } from 'node:fs/promises';
import { outputPrefix } from '@mustard-sandbox/paths';
import { messageOf } from '@mustard-sandbox/protocol';
import { ResourceNotFoundError, type ReadResourceResult, type Resource } from '@modelcontextprotocol/server';
import { formatBytes, type Attachment } from '@mustard-sandbox/agent-tool';
import { availableFrom, guessMediaType, isText, openAttachment, probedBytes } from '@mustard-sandbox/agent-tool/host';
import type { Files } from './files.ts';
import { invalidParams, parseResourceUri, resourceUri, type Range } from './resource-uri.ts';

/** The most bytes that one read returns. The answer is one message, and goes as a whole to a model or a view. */
const maxReadBytes = 1024 * 1024;

/** How far the start of a UTF-8 character can be from any of its bytes. */
const lookAhead = 3;

/** The present attachments as resources. */
export async function listResources(files: Files): Promise<Resource[]> {
  const { attachments } = await availableFrom(files);
  return await Promise.all(
    attachments.map(async (file) => {
      const mimeType =
        file.mediaType ?? (await withFile(file, (handle) => typeOf(file, handle)).catch(() => undefined));
      const { name, size } = file;
      const path = name.startsWith(outputPrefix) ? name : `attachments:${name}`;
      const description = `Scripts read it as ${JSON.stringify(path)}. ${formatBytes(size)}.`;
      return { uri: resourceUri(name), name, size, description, ...(mimeType !== undefined && { mimeType }) };
    }),
  );
}

/**
 * A file or a range of it: text is returned unchanged, and anything else as base64. Text begins and ends at a
 * character, so that consecutive ranges make up the whole file.
 *
 * @throws {ProtocolError} invalid params: an unknown URI, a missing file, too much at once
 */
export async function readResource(files: Files, uri: string): Promise<ReadResourceResult> {
  const { name, ...range } = parseResourceUri(uri);
  const { attachments } = await availableFrom(files);
  const file = attachments.find((candidate) => candidate.name === name);
  if (file === undefined) throw new ResourceNotFoundError(uri, `There is no attachment ${JSON.stringify(name)}.`);
  return await withFile(file, async (handle) => {
    const { size } = await handle.stat();
    const { start, length } = boundsOf(file, size, range);
    const head = await readAt(handle, 0, probedBytes);
    const mimeType = await typeOf(file, handle, head);
    if (isText(head, head.length === size)) {
      return { contents: [{ uri, mimeType, text: await readText(handle, start, length) }] };
    }
    const bytes = await readAt(handle, start, length);
    return { contents: [{ uri, mimeType, blob: bytes.toString('base64') }] };
  });
}

function boundsOf(file: Attachment, size: number, { start = 0, length }: Range): Required<Range> {
  const wanted = Math.min(length ?? Infinity, Math.max(0, size - start));
  if (wanted <= maxReadBytes) return { start, length: wanted };
  const example = `${resourceUri(file.name)}?start=${start}&length=${maxReadBytes}`;
  throw invalidParams(
    `One read returns at most ${formatBytes(maxReadBytes)}, and this would be ${formatBytes(wanted)} of ${formatBytes(size)}. Read a range, such as ${example}; or run a script that reads the file and answers with what matters.`,
  );
}

async function readText(handle: FileHandle, start: number, length: number): Promise<string> {
  const bytes = await readAt(handle, start, length + lookAhead);
  return bytes.subarray(characterAt(bytes, 0), characterAt(bytes, length)).toString();
}

/** The first position from here on where a character begins. */
function characterAt(bytes: Buffer, position: number): number {
  let start = position;
  while (start < position + lookAhead && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return start;
}

async function typeOf(file: Attachment, handle: FileHandle, known?: Buffer): Promise<string> {
  if (file.mediaType !== undefined) return file.mediaType;
  const head = known ?? (await readAt(handle, 0, probedBytes));
  return await guessMediaType(file.name, head, head.length < probedBytes);
}

async function readAt(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

async function withFile<T>(file: Attachment, work: (handle: FileHandle) => Promise<T>): Promise<T> {
  let handle: FileHandle;
  try {
    handle = await openAttachment(file);
  } catch (error) {
    throw invalidParams(`The attachment ${JSON.stringify(file.name)} cannot be read: ${messageOf(error)}.`);
  }
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

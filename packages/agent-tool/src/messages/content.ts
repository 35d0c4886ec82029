import { constants, type Stats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { oneLine, throwIfAborted, within } from '@mustard-sandbox/protocol';
import { SandboxError } from '@mustard-sandbox/client';

/** Bytes, in a file or in memory. */
export type Content = { path: string } | { bytes: Uint8Array };

/** The first bytes of a content, and whether there are more. */
export interface Start {
  bytes: Uint8Array;
  more: boolean;
}

/** The most bytes of one file in a message. Node can hold little more than 512 MB in one string. */
export const maxPartBytes = 256 * 1024 * 1024;

/**
 * Reads at most `length` bytes from the start, however big the file is.
 *
 * @throws {SandboxError} `invalid_request` with the name of a file that is not a regular file, or cannot be read
 */
export async function readStart(name: string, content: Content, length: number): Promise<Start> {
  if ('bytes' in content) return { bytes: content.bytes.subarray(0, length), more: content.bytes.length > length };
  try {
    return await readFileStart(name, content.path, length);
  } catch (error) {
    throw unreadable(name, content.path, error);
  }
}

/**
 * The bytes from `start` up to `end`, or fewer if the content ends before.
 *
 * @throws {SandboxError} `invalid_request` with the name of a file that is not a regular file, or cannot be read
 */
export async function readRange(name: string, content: Content, start: number, end: number): Promise<Uint8Array> {
  if ('bytes' in content) return content.bytes.subarray(start, end);
  try {
    await using file = await openFile(content.path);
    fileSize(name, content.path, await file.stat());
    return await readBytes(file, start, end - start);
  } catch (error) {
    throw unreadable(name, content.path, error);
  }
}

/**
 * The size in bytes.
 *
 * @throws {SandboxError} `invalid_request` with the name of a file that is not a regular file
 */
export async function sizeOf(name: string, content: Content): Promise<number> {
  if ('bytes' in content) return content.bytes.length;
  try {
    return fileSize(name, content.path, await stat(content.path));
  } catch (error) {
    throw unreadable(name, content.path, error);
  }
}

async function readFileStart(name: string, path: string, length: number): Promise<Start> {
  await using file = await openFile(path);
  const size = fileSize(name, path, await file.stat());
  return { bytes: await readBytes(file, 0, Math.min(length, size)), more: size > length };
}

/**
 * Opens without waiting, because the path may have become a FIFO since it was checked, and opening one waits for a
 * writer.
 */
async function openFile(path: string): Promise<FileHandle> {
  return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
}

async function readBytes(file: FileHandle, start: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

function fileSize(name: string, path: string, stats: Stats): number {
  if (stats.isFile()) return stats.size;
  const shown = oneLine(path);
  if (!stats.isDirectory()) throw badAttachment(name, `${shown} is not a regular file`);
  throw badAttachment(name, `${shown} is a folder; attach the files in it by a pattern, ${shown}/**`);
}

/** The error for an attachment that cannot be used. The message names the attachment. */
export function badAttachment(name: string, why: string, cause?: unknown): SandboxError {
  return new SandboxError('invalid_request', `attachment "${oneLine(name)}": ${why}.`, {
    details: { attachment: name },
    cause,
  });
}

const reasons: Record<string, (path: string) => string> = {
  ENOENT: (path) => `there is no file ${path}`,
  ENOTDIR: (path) => `there is no file ${path}`,
  EACCES: (path) => `this process may not read ${path}`,
  EPERM: (path) => `this process may not read ${path}`,
  ELOOP: (path) => `${path} is a link that leads to itself`,
};

/** The error for what the file system said about an attachment's path. */
function unreadable(name: string, path: string, error: unknown): SandboxError {
  if (error instanceof SandboxError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  return badAttachment(name, reasons[code]?.(oneLine(path)) ?? message, error);
}

const cancelled = 'The message was cancelled before it was ready.';

/** @throws {SandboxError} `cancelled` when the signal is aborted */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  throwIfAborted(signal, cancelled);
}

/** The outcome of `work`. @throws {SandboxError} `cancelled` as soon as the signal is aborted */
export async function untilCancelled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return await within(work, { signal, cancelled });
}

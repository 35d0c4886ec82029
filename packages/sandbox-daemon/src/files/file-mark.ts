import { SandboxError } from '@mustard-sandbox/protocol';
import { readSync, type Stats } from 'node:fs';
import type { OpenFile } from '@mustard-sandbox/paths';
import type { BuiltinCall } from './call.ts';

/** How many bytes before the reached place are compared. */
const comparedBytes = 64 * 1024;

/** Tells whether a file is the one that was read before. */
export interface FileMark {
  size: number;
  mtimeMs: number;
  /** How far the file was read, in bytes. */
  position: number;
  /** SHA-256 of the bytes before that place. */
  hash: string;
}

export function markOf(file: OpenFile, position: number): FileMark {
  const { size, mtimeMs }: Stats = file.stats;
  return { size, mtimeMs, position, hash: hashBefore(file, position) };
}

/** @throws {SandboxError} `snapshot_refused` */
export function assertSameFile(file: OpenFile, mark: FileMark, call: BuiltinCall): void {
  const { size, mtimeMs } = file.stats;
  if (size === mark.size && mtimeMs === mark.mtimeMs && hashBefore(file, mark.position) === mark.hash) return;
  throw fileChanged(call);
}

export function fileChanged(call: BuiltinCall, cause?: unknown): SandboxError {
  return new SandboxError(
    'snapshot_refused',
    `${call.shown} has changed while the script waited in a loop over its lines. Start the run again.`,
    { details: { refusal: 'file_changed', path: call.path, capability: call.name }, cause },
  );
}

function hashBefore({ fd }: OpenFile, position: number): string {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const start = Math.max(0, position - comparedBytes);
  const bytes = Buffer.alloc(position - start);
  const read = readSync(fd, bytes, 0, bytes.length, start);
  return createHash('sha256').update(bytes.subarray(0, read)).digest('hex');
}

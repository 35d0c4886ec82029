import { isUtf8 } from 'node:buffer';
import { readSync } from 'node:fs';
import type { BuiltinCall } from './call.ts';
import { withFile, type Files } from './open.ts';
import { lookAround, unitBoundary } from './text-range.ts';

export interface FileStats {
  /** Bytes. */
  size: number;
  /** By content: the first 8 KiB are UTF-8 without NUL. UTF-16 is not text. */
  isText: boolean;
  /** ISO 8601, UTC. */
  mtime: string;
}

const probedBytes = 8 * 1024;

/** @throws {SandboxError} as `withFile` */
export function fileStats(files: Files, path: unknown, call: BuiltinCall): FileStats {
  return withFile(files, path, call, (fd, stats) => ({
    size: stats.size,
    isText: isText(fd),
    mtime: stats.mtime.toISOString(),
  }));
}

function isText(fd: number): boolean {
  const bytes = Buffer.allocUnsafe(probedBytes + lookAround);
  const count = readSync(fd, bytes, 0, bytes.length, 0);
  const read = bytes.subarray(0, count);
  const probed = read.subarray(0, unitBoundary(read, probedBytes));
  return !probed.includes(0) && isUtf8(probed);
}

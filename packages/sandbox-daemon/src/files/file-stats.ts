import { isUtf8 } from 'node:buffer';
import { readSync } from 'node:fs';
import type { BuiltinCall } from './call.ts';
import { withFile, type Files } from '@mustard-sandbox/paths';
import { compressionOf, type Compression } from './source/compression.ts';
import { encodingOf, probedBytes, type Encoding } from './source/encodings.ts';
import { lookAround, unitBoundary } from './text-range.ts';

export interface FileStats {
  /** Bytes. */
  size: number;
  /** By content: the first 8 KiB are UTF-8 without NUL. UTF-16 is not text. */
  isText: boolean;
  /** What a text is written in; absent for what is no text. Of a compressed file that of its bytes, so absent too. */
  encoding?: Encoding;
  /** `gzip` or `zstd`, when it is. */
  compression?: Compression;
  /** ISO 8601, UTC. */
  mtime: string;
}

/** @throws {SandboxError} as `withFile` */
export function fileStats(files: Files, path: unknown, call: BuiltinCall): FileStats {
  return withFile(files, path, call, (fd, stats) => {
    const start = Buffer.allocUnsafe(probedBytes + lookAround);
    const bytes = start.subarray(0, readSync(fd, start, 0, start.length, 0));
    const compression = compressionOf(bytes);
    const encoding = compression === undefined ? encodingOf(bytes) : undefined;
    return {
      size: stats.size,
      isText: isText(bytes),
      ...(encoding !== undefined && { encoding }),
      ...(compression !== undefined && { compression }),
      mtime: stats.mtime.toISOString(),
    };
  });
}

function isText(bytes: Buffer): boolean {
  const probed = bytes.subarray(0, unitBoundary(bytes, probedBytes));
  return !probed.includes(0) && isUtf8(probed);
}

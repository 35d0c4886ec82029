import { isUtf8 } from 'node:buffer';
import { bytesAt } from './archives/bytes.ts';
import { openContent } from './archives/content.ts';
import type { BuiltinCall } from './call.ts';
import type { BuiltinContext } from './context.ts';
import { compressionOf, type Compression } from './source/compression.ts';
import { encodingOf, probedBytes, type Encoding } from './source/encodings.ts';
import { lookAround, unitBoundary } from './text-range.ts';

export interface FileStats {
  /** The size in bytes. */
  size: number;
  /** Judged by content: the first 8 KiB are UTF-8 without NUL. UTF-16 does not count as text here. */
  isText: boolean;
  /** The encoding of a text. Absent for a file that is not text, such as a compressed one. */
  encoding?: Encoding;
  /** The compression of a compressed file. */
  compression?: Compression;
  /** ISO 8601, UTC. Of what is in an archive, that of the archive. */
  mtime: string;
}

/** @throws {SandboxError} as `openContent` */
export function fileStats(context: BuiltinContext, path: unknown, call: BuiltinCall): FileStats {
  using content = openContent(context, path, call);
  const bytes = bytesAt(content, 0, probedBytes + lookAround);
  const compression = compressionOf(bytes);
  const encoding = compression === undefined ? encodingOf(bytes) : undefined;
  return {
    size: content.size,
    isText: isText(bytes),
    ...(encoding !== undefined && { encoding }),
    ...(compression !== undefined && { compression }),
    mtime: content.file.stats.mtime.toISOString(),
  };
}

function isText(bytes: Buffer): boolean {
  const probed = bytes.subarray(0, unitBoundary(bytes, probedBytes));
  return !probed.includes(0) && isUtf8(probed);
}

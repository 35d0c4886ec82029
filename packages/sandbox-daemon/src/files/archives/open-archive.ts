import type { Stats } from 'node:fs';
import { SandboxError } from '@mustard-sandbox/protocol';
import { archiveKindOf, kindBytes } from '../binary-kinds.ts';
import { spendInAll } from '../budget.ts';
import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import { compressionOf, type Compression } from '../source/compression.ts';
import { decompress } from '../source/decompress.ts';
import { BrokenArchive, type Archive } from './archive.ts';
import { bytesAt, piecesOf, type Bytes } from './bytes.ts';
import { Tar } from './tar.ts';
import { Zip } from './zip.ts';

interface Known {
  kind: 'zip' | 'tar';
  compression: Compression | undefined;
  members: Archive['members'];
}

/** The archives that a run has opened. They are remembered, because a search in an archive opens it for each of its files. */
const knownByRun = new WeakMap<BuiltinContext, Map<string, Known>>();
const maxKnown = 16;

/**
 * Opens these bytes as an archive.
 *
 * @throws {SandboxError} `script_error` for a file that is not an archive, is broken or is cut off; `limit_exceeded`
 */
export function openArchive(bytes: Bytes, stats: Stats, context: BuiltinContext, call: BuiltinCall): Archive {
  const ofRun = knownByRun.get(context) ?? new Map<string, Known>();
  knownByRun.set(context, ofRun);
  const identity = [stats.dev, stats.ino, stats.size, stats.mtimeMs].join(' ');
  const onPassed = (passed: number): void => {
    spendInAll(context.budget, passed, call);
    context.pace.check();
  };
  return explained(call, () => {
    const { kind, compression, members } = ofRun.get(identity) ?? kindOf(bytes, call);
    const archive: Archive =
      kind === 'tar' ? new Tar(bytes, { compression, onPassed }, members) : new Zip(bytes, call, members);
    if (ofRun.size >= maxKnown) ofRun.clear();
    ofRun.set(identity, { kind, compression, members: archive.members });
    return archive;
  });
}

function kindOf(bytes: Bytes, call: BuiltinCall): Partial<Known> & Pick<Known, 'kind'> {
  const start = bytesAt(bytes, 0, kindBytes);
  const compression = compressionOf(start);
  const kind = archiveKindOf(compression === undefined ? start : headOf(bytes, compression));
  const isRead = kind === 'tar' || compression === undefined;
  if (kind !== undefined && isRead) return { kind, compression };
  throw call.failed('NotReadableError', `${call.shown} leads into what is no archive: ZIP and tar are read.`);
}

/** The first bytes of the unpacked content. */
function headOf(bytes: Bytes, compression: Compression): Buffer {
  const pieces: Buffer[] = [];
  let length = 0;
  for (const piece of decompress(compression, piecesOf(bytes, 0, bytes.size))) {
    pieces.push(Buffer.from(piece.subarray(0, kindBytes)));
    length += piece.length;
    if (length >= kindBytes) break;
  }
  return Buffer.concat(pieces);
}

/** Turns errors of a library or decompressor into one that says that the archive is broken. */
export function explained<T>(call: BuiltinCall, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof SandboxError || (error instanceof Error && 'syscall' in error)) throw error;
    const why = error instanceof BrokenArchive ? error.message : 'its packed data is broken or cut off';
    throw call.failed('NotReadableError', `${call.shown} cannot be read: ${why}.`);
  }
}

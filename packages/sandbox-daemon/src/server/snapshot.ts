import {
  type EngineName,
  SandboxError,
  type SnapshotRefusal,
  limitAdvice,
  limitTable,
} from '@mustard-sandbox/protocol';
import type { Frozen } from '../engine/interface.ts';
import type { KeptFiles } from '../files/index.ts';
import type { KeptErrors } from './thrown-errors.ts';
import type { KeptCalls } from './waiting-calls.ts';

/** What the segments of a run have used. */
export interface KeptUse {
  executionMs: number;
  /** Of the limit on time: what was computed, and no more than passed. */
  computedMs: number;
  cpuMs: number;
  heapBytes: number;
  hostCalls: number;
  /** What may still be written to the console. */
  consoleLeft: number;
}

/** A run between two segments. */
export interface Snapshot {
  /** SHA-256 of the source. */
  script: string;
  engine: EngineName;
  engineVersion: string;
  use: KeptUse;
  calls: KeptCalls;
  errors: KeptErrors;
  files: KeptFiles;
  frozen: Frozen;
}

/** What it begins with; the number is the version of the form. */
const magic = Buffer.from('MSS2');
const hashBytes = 32;

/**
 * A run as bytes: packed, with a hash that tells damage. Level 1 takes half the time of zlib's default for a tenth more.
 *
 * @throws {SandboxError} `limit_exceeded`
 */
export function packed({ frozen, ...rest }: Snapshot, mostBytes: number): Buffer {
  const { state, memory } = frozen;
  const head = Buffer.from(JSON.stringify({ ...rest, state }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  const body = zlib().deflateRawSync(Buffer.concat([length, head, memory]), { level: 1 });
  const bytes = Buffer.concat([magic, hashOf(body), body]);
  if (bytes.length > mostBytes) throw tooLarge(bytes.length, mostBytes);
  return bytes;
}

/**
 * @param mostBytes of the memory in it, and of what is known beside that
 * @throws {SandboxError} `snapshot_refused`
 */
export function unpacked(bytes: Buffer, mostBytes: number): Snapshot {
  const body = bytes.subarray(magic.length + hashBytes);
  if (!bytes.subarray(0, magic.length).equals(magic)) {
    throw refused('damaged', 'It does not begin as a snapshot does, or is one of another release.');
  }
  if (!bytes.subarray(magic.length, magic.length + hashBytes).equals(hashOf(body))) {
    throw refused('damaged', 'Its bytes are not those that were written.');
  }
  try {
    const whole = zlib().inflateRawSync(body, { maxOutputLength: mostBytes });
    const headEnd = 4 + whole.readUInt32LE(0);
    const { state, ...rest } = JSON.parse(whole.toString('utf8', 4, headEnd)) as Omit<Snapshot, 'frozen'> & {
      state: Frozen['state'];
    };
    return { ...rest, frozen: { state, memory: whole.subarray(headEnd) } };
  } catch (cause) {
    throw refused('damaged', 'It cannot be unpacked.', cause);
  }
}

/** @param why a sentence */
export function refused(refusal: SnapshotRefusal, why: string, cause?: unknown): SandboxError {
  return new SandboxError('snapshot_refused', `The snapshot is refused. ${why}`, { details: { refusal }, cause });
}

export function hashOfScript(script: string): string {
  return hashOf(Buffer.from(script)).toString('hex');
}

function hashOf(bytes: Buffer): Buffer {
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(bytes).digest();
}

/** Loaded with the first snapshot: most sidecars see none. */
function zlib(): typeof import('node:zlib') {
  return process.getBuiltinModule('node:zlib');
}

function tooLarge(actual: number, value: number): SandboxError {
  const { name, unit } = limitTable.snapshotBytes;
  return new SandboxError(
    'limit_exceeded',
    `What the script holds while it waits is ${actual} bytes, over the limit of ${value} (${name}). ` +
      limitAdvice('snapshotBytes'),
    { details: { limit: name, value, unit, actual } },
  );
}

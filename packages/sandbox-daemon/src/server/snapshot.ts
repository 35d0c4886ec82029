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
  /** The part of the time limit that was used: processor time, but never more than the wall time. */
  computedMs: number;
  cpuMs: number;
  heapBytes: number;
  hostCalls: number;
  /** How much may still be written to the console. */
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

/** The first bytes of a snapshot. The digit is the version of the format. */
const magic = Buffer.from('MSS2');
const hashBytes = 32;

/**
 * A run as bytes: packed, with a hash that shows damage. Level 1 takes half the time of zlib's default, and the result
 * is a tenth larger.
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
 * @param mostBytes of the memory in it, and of the state around the memory
 * @throws {SandboxError} `snapshot_refused`
 */
export function unpacked(bytes: Buffer, mostBytes: number): Snapshot {
  const body = bytes.subarray(magic.length + hashBytes);
  if (!bytes.subarray(0, magic.length).equals(magic)) {
    throw refused('damaged', 'It does not begin like a snapshot, or belongs to another release.');
  }
  if (!bytes.subarray(magic.length, magic.length + hashBytes).equals(hashOf(body))) {
    throw refused('damaged', 'Its bytes have changed since they were written.');
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

/** Loaded with the first snapshot, because most sidecars see none. */
function zlib(): typeof import('node:zlib') {
  return process.getBuiltinModule('node:zlib');
}

function tooLarge(actual: number, value: number): SandboxError {
  const { name, unit } = limitTable.snapshotBytes;
  return new SandboxError(
    'limit_exceeded',
    `The state that the script keeps while it waits is ${actual} bytes, over the limit of ${value} (${name}). ` +
      limitAdvice('snapshotBytes'),
    { details: { limit: name, value, unit, actual } },
  );
}

import { createHash } from 'node:crypto';
import { SandboxError, type SnapshotRefusal } from '@mustard-sandbox/client';
import { problemOfKeys, Sealer, type Key, type SealRefusal } from '@mustard-sandbox/client/seal';
import { RunError } from './errors.ts';

/** What sealed bytes are for. Texts are compared exactly; most are hashes. */
export interface Bound {
  tenant: string;
  run: string;
  /** Which snapshot of the run it is. */
  step: number;
  script: string;
  /** Its root and deny patterns, its limits on reading, and its other limits. */
  scope: string;
  /** The attachments, by their contents. */
  files: string;
  tools: string;
}

/** @throws {RunError} `invalid_request` */
export function checkKeys(keys: readonly Key[]): void {
  const problem = problemOfKeys(keys);
  if (problem !== undefined) throw new RunError('invalid_request', problem);
}

/** Seals snapshots. Bytes that it does not open are `snapshot_refused`, and `details.refusal` says why. */
export function snapshotSealer(keys: readonly Key[]): Sealer<Bound> {
  return new Sealer<Bound>(keys, (why) => {
    const [refusal, words] = refusals[why];
    return new SandboxError('snapshot_refused', `The snapshot is refused. ${words}`, { details: { refusal } });
  });
}

const refusals: Record<SealRefusal<Bound>, [SnapshotRefusal, string]> = {
  shapeless: ['forged', 'It does not have the form of sealed bytes.'],
  forged: ['forged', 'It has changed since this host sealed it.'],
  unknown_key: ['unknown_key', 'It was sealed with a key that this host does not have.'],
  tenant: ['foreign', 'It belongs to another tenant.'],
  run: ['foreign', 'It belongs to another run.'],
  step: ['stale', 'It belongs to another step of the run.'],
  script: ['other_script', 'It belongs to another script.'],
  scope: ['scope_changed', 'The scope or the limits of the run have changed.'],
  files: ['file_changed', 'A file of the run has changed.'],
  tools: ['tools_changed', 'A tool of the run has changed.'],
};

/** A short text for any JSON. Equal content gives the same text. */
export function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)) ?? 'undefined')
    .digest('hex');
}

/** A copy with the fields of each object in one order. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

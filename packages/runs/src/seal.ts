import { createHash } from 'node:crypto';
import { SandboxError, type SnapshotRefusal } from '@mustard-sandbox/client';
import { problemOfKeys, Sealer, type Key, type SealRefusal } from '@mustard-sandbox/client/seal';
import { RunError } from './errors.ts';

/** What is sealed is for this and nothing else. Texts are compared as they are; most are hashes. */
export interface Bound {
  tenant: string;
  run: string;
  /** Which snapshot of the run it is. */
  step: number;
  script: string;
  /** Its root and what is denied, limits on reading, and limits of the run. */
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

/** Seals snapshots. What it does not open is `snapshot_refused`, and `details.refusal` says why. */
export function snapshotSealer(keys: readonly Key[]): Sealer<Bound> {
  return new Sealer<Bound>(keys, (why) => {
    const [refusal, words] = refusals[why];
    return new SandboxError('snapshot_refused', `The snapshot is refused. ${words}`, { details: { refusal } });
  });
}

const refusals: Record<SealRefusal<Bound>, [SnapshotRefusal, string]> = {
  shapeless: ['forged', 'It has not the form of what this host seals.'],
  forged: ['forged', 'It is not as this host has sealed it.'],
  unknown_key: ['unknown_key', 'It was sealed with a key that this host does not have.'],
  tenant: ['foreign', 'It is one of another tenant.'],
  run: ['foreign', 'It is one of another run.'],
  step: ['stale', 'It is one of another step of the run.'],
  script: ['other_script', 'It is one of another script.'],
  scope: ['scope_changed', 'The scope or the limits of the run have changed.'],
  files: ['file_changed', 'A file of the run has changed.'],
  tools: ['tools_changed', 'A tool of the run has changed.'],
};

/** A short text for any JSON, the same for the same content. */
export function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)) ?? 'undefined')
    .digest('hex');
}

/** With the fields of each object in one order. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

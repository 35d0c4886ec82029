import { SandboxError, type SegmentOptions, type SegmentResult } from '@mustard-sandbox/client';
import type { Spec } from './bound.ts';
import { RunError } from './errors.ts';
import type { KeptFile, StoredCall } from './store/store.ts';
import type { RunsOptions } from './types.ts';

/** A file of a run, with its place on this host. */
export interface RunFile extends KeptFile {
  path: string;
}

/** Codes of failures that do not come from the script. The same segment may be run again. */
const passing = new Set(['sidecar_crashed', 'sidecar_unavailable', 'protocol_error', 'queue_full']);
const mostAttempts = 3;
/** The most characters of JSON in the answers that a segment begins with. The protocol allows 7 MiB. */
const mostAnswerLength = 6 * 1024 * 1024;

interface Around {
  /** Files that it may read in addition to its scope. */
  files: readonly RunFile[];
  from: SegmentOptions['from'] | undefined;
  signal: AbortSignal;
  onConsole: NonNullable<SegmentOptions['onConsole']>;
}

/** Runs one segment. @throws {SandboxError} */
export async function runSegment(
  sandbox: RunsOptions['sandbox'],
  { script, scope, inputs, limits, engine, tools }: Spec,
  { files, from, signal, onConsole }: Around,
): Promise<SegmentResult> {
  const options: SegmentOptions = {
    script,
    hostFunctions: tools,
    signal,
    onConsole,
    ...scopeWith(scope, files),
    ...(limits !== undefined && { limits }),
    ...(engine !== undefined && { engine }),
    ...(from === undefined ? inputs !== undefined && { inputs } : { from }),
  };
  for (let attempt = 1; ; attempt++) {
    try {
      return await sandbox.runSegment(options);
    } catch (error) {
      // A segment has no effect, so it may be run again.
      const isPassing = error instanceof SandboxError && passing.has(error.code);
      if (!isPassing || attempt === mostAttempts || signal.aborted) throw error;
    }
  }
}

/** Whether the error ends the run. If not, the run can continue when the failed part works again. */
export function isEnd(error: unknown): boolean {
  if (error instanceof RunError) return error.code === 'ledger_mismatch';
  return (
    error instanceof SandboxError && ![...passing, 'closed', 'cancelled', 'engine_unavailable'].includes(error.code)
  );
}

function scopeWith(scope: Spec['scope'], files: readonly RunFile[]): { scope?: NonNullable<Spec['scope']> } {
  if (files.length === 0) return scope === undefined ? {} : { scope };
  const more = files.map(({ name, path }) => ({ name, path, noLinks: true }));
  return { scope: { ...scope, attachments: [...(scope?.attachments ?? []), ...more] } };
}

/** As many of the answers as fit into one segment. The script waits for the others. */
export function fitting(answers: readonly StoredCall[]): StoredCall[] {
  let length = 0;
  const over = answers.findIndex(({ answer = '' }) => (length += Buffer.byteLength(answer)) > mostAnswerLength);
  return over === -1 ? [...answers] : answers.slice(0, Math.max(1, over));
}

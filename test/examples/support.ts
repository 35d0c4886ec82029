import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSandbox, type RunOptions, type RunResult } from '@mustard-sandbox/client';
import { makeFolder } from '../files/support.ts';

export const examplesFolder = fileURLToPath(new URL('../../examples', import.meta.url));

/** For all test files of a process; its sidecars end with that. */
const sandbox = createSandbox({ spares: 0, maxTimeoutMs: 60_000, quarantineAfter: 1000 });

/** A shared machine may be slow: the time is not what these tests are about, the other limits are the usual ones. */
const limits = { timeoutMs: 60_000 };

export function readExample(name: string): string {
  return readFileSync(join(examplesFolder, name), 'utf8');
}

/** Runs one of the examples as it stands. */
export function runExample(name: string, options: Omit<RunOptions, 'script'>): Promise<RunResult> {
  return sandbox.run({ ...options, limits: { ...limits, ...options.limits }, script: readExample(name) });
}

/** A scope with one attachment of that content. */
export function attach(name: string, content: string | Uint8Array): NonNullable<RunOptions['scope']> {
  return { attachments: [{ name, path: join(makeFolder({ [name]: content }), name) }] };
}

/** Numbers from 0 up to 1, the same ones every time. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

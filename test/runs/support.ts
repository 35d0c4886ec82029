import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox, type LocalSandbox } from '@mustard-sandbox/client';
import { createRuns, sqliteStore, type Key, type Runs, type RunsOptions, type Tool } from '@mustard-sandbox/runs';
import { onTestFinished } from 'vitest';

let kept: LocalSandbox | undefined;

/** A sandbox that the tests of this process share. */
export function sandbox(): LocalSandbox {
  return (kept ??= createSandbox({ spares: 0, maxProcesses: 2, isolation: 'process', quarantineAfter: 1000 }));
}

export const key = (id = 'first'): Key => ({ id, key: randomBytes(32) });

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'runs-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

export interface Host {
  runs: Runs;
  file: string;
  keys: Key[];
  /** The same store and keys, as after a restart of the host, with other tools where they are given. */
  again: (options?: Partial<RunsOptions>) => Runs;
  /** Likewise, of a host that will die: nobody closes it. */
  mortal: (options: Partial<RunsOptions>) => Runs;
}

/** A host with a store of its own. */
export function host(tools: readonly Tool[], options: Partial<RunsOptions> = {}): Host {
  const file = join(folder(), 'runs.db');
  const keys = [key()];
  const mortal = (more: Partial<RunsOptions>): Runs =>
    createRuns({ sandbox: sandbox(), store: sqliteStore(file), keys, tools, ...options, ...more });
  const again = (more: Partial<RunsOptions> = {}): Runs => {
    const runs = mortal(more);
    onTestFinished(() => runs.close());
    return runs;
  };
  return { runs: again(), file, keys, again, mortal };
}

/** A tool that keeps what it was called with. */
export function counting(name: string, more: Partial<Tool> = {}): Tool & { made: unknown[]; keys: string[] } {
  const made: unknown[] = [];
  const keys: string[] = [];
  return {
    name,
    description: name,
    execute: (input, { key: callKey }) => {
      made.push(input);
      keys.push(callKey);
      return input;
    },
    ...more,
    made,
    keys,
  };
}

import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorkspaces, type Workspaces, type WorkspacesOptions } from '@mustard-sandbox/bash-tools';
import { afterAll } from 'vitest';

export { noJail } from '../isolation/support.ts';

/** What the tests of a file leave, newest first. A hook that is registered while tests run would not be called. */
const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
});

/** A folder that goes with the tests of a file. */
export function scratchFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-bash-')));
  ends.unshift(() => {
    // What a command made unreadable is for its owner to remove.
    execFileSync('chmod', ['-R', 'u+rwX', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Workspaces that end with the tests of a file. */
export async function openWorkspaces(options: Partial<WorkspacesOptions> = {}): Promise<Workspaces> {
  const all = await createWorkspaces({ directory: scratchFolder(), ...options });
  ends.unshift(() => all.close());
  return all;
}

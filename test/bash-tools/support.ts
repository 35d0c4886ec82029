import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorkspaces, type Workspaces, type WorkspacesOptions } from '@mustard-sandbox/bash-tools';
import { afterAll } from 'vitest';
import { atProcessEnd } from '../process-end.ts';

export { noJail } from '../isolation/support.ts';

/** Workspaces of the first file of this process that are open, newest first. Those of later files end with the process. */
const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
});

/** A folder that goes with this process. */
export function scratchFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-bash-')));
  atProcessEnd(() => {
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

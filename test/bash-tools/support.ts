import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorkspaces, type Workspaces, type WorkspacesOptions } from '@mustard-sandbox/bash-tools';
import { atFileEnd } from '../file-end.ts';

export { noJail } from '../isolation/support.ts';

/** A folder that goes with the tests of a file. */
export function scratchFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-bash-')));
  atFileEnd(() => {
    // What a command made unreadable is for its owner to remove.
    execFileSync('chmod', ['-R', 'u+rwX', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Workspaces that end with the tests of a file. */
export async function openWorkspaces(options: Partial<WorkspacesOptions> = {}): Promise<Workspaces> {
  const all = await createWorkspaces({ directory: scratchFolder(), ...options });
  atFileEnd(() => all.close());
  return all;
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@mustard-sandbox/protocol';
import type { Bounded } from '../backends/local/control-groups.ts';
import { backendNames, type BackendName } from './options.ts';
import { createWorkspaces } from './workspaces.ts';

/** Whether a backend can run on this machine. */
export interface BackendStatus {
  backend: BackendName;
  available: boolean;
  /** What is missing. */
  reason?: string;
  /**
   * `local`: what the kernel bounds by control groups for all processes of a command together. The other limits are
   * those of each process, and checks ten times a second.
   */
  bounds?: readonly Bounded[];
}

/** Tries each backend, for `doctor` and a page of settings. It makes no request to a service elsewhere. */
export async function backendStatus(): Promise<BackendStatus[]> {
  const directory = await mkdtemp(join(tmpdir(), 'mustard-backends-'));
  try {
    return await Promise.all(backendNames.map((backend) => tryOut(backend, directory)));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function tryOut(backend: BackendName, directory: string): Promise<BackendStatus> {
  try {
    const workspaces = await createWorkspaces({ directory, backend });
    await workspaces.close();
    return { backend, available: true, ...(workspaces.bounds && { bounds: workspaces.bounds }) };
  } catch (error) {
    return { backend, available: false, reason: messageOf(error) };
  }
}

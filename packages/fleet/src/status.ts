import { SandboxError, within } from '@mustard-sandbox/protocol';
import { checkConnection, openHub, type Hub, type QueueConnection } from './hub/hub.ts';
import { Names, type Lane } from './wire/names.ts';
import { release } from './wire/release.ts';
import type { WorkerStats } from './worker/worker.ts';

/** How many jobs of a tenant wait, run, and are kept. */
export interface TenantStatus {
  name: string;
  waiting: number;
  running: number;
  /** Jobs that no worker could do, such as those of quarantined scripts. They are kept for a day. */
  kept: { id: string; why: string }[];
}

/** The state of a fleet. */
export interface FleetStatus {
  workers: WorkerStats[];
  tenants: TenantStatus[];
}

const mostKept = 20;

/**
 * Reads the state of a fleet from its queue.
 *
 * @param tenants whose jobs to count; workers are always listed
 * @throws {SandboxError} `invalid_request`; `sidecar_unavailable` when the queue cannot be reached within `timeoutMs`
 */
export async function fleetStatus(
  connection: QueueConnection,
  tenants: readonly string[],
  { prefix = 'mustard', timeoutMs = 5_000 }: { prefix?: string; timeoutMs?: number } = {},
): Promise<FleetStatus> {
  checkConnection(connection, prefix);
  // It is loaded before the time begins, because loading takes long on a busy machine and says nothing about the queue.
  await import('bullmq');
  const names = new Names(prefix);
  const over = new AbortController();
  const look = async (): Promise<FleetStatus> => {
    const hub = await openHub({ connection, prefix, names, closing: over.signal });
    return { workers: await workersOf(hub, names), tenants: await tenantsOf(hub, tenants) };
  };
  const unreachable = (cause?: unknown): SandboxError =>
    new SandboxError('sidecar_unavailable', `The queue of the fleet cannot be reached within ${timeoutMs} ms.`, {
      cause,
    });
  try {
    return await within(look(), { timeout: { ms: timeoutMs, error: unreachable } });
  } catch (error) {
    throw error instanceof SandboxError ? error : unreachable(error);
  } finally {
    over.abort();
  }
}

async function workersOf(hub: Hub, names: Names): Promise<WorkerStats[]> {
  const workers = (await hub.valuesOf(names.worker(''))).map((text) => JSON.parse(text) as WorkerStats);
  return workers.toSorted((one, other) => one.name.localeCompare(other.name));
}

async function tenantsOf(hub: Hub, tenants: readonly string[]): Promise<TenantStatus[]> {
  return await Promise.all(
    tenants.map(async (name) => {
      const lanes: Lane[] = [{ tenant: name }, { tenant: name, release }];
      const queues = lanes.map((lane) => hub.openQueue(lane, { skipMetasUpdate: true }));
      const counts = await Promise.all(queues.map((queue) => queue.getJobCounts('waiting', 'prioritized', 'active')));
      const failed = await Promise.all(queues.map((queue) => queue.getFailed(0, mostKept - 1)));
      const sum = (state: string): number => counts.reduce((all, count) => all + (count[state] ?? 0), 0);
      return {
        name,
        waiting: sum('waiting') + sum('prioritized'),
        running: sum('active'),
        kept: failed.flat().map(({ id = '', failedReason: why }) => ({ id, why })),
      };
    }),
  );
}

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  createSandbox,
  type LocalSandbox,
  type Sandbox,
  type SandboxEvents,
  type SandboxError,
  type SandboxOptions,
} from '@mustard-sandbox/client';
import { onTestFinished, vi } from 'vitest';

export const fakeDaemon = fileURLToPath(new URL('../fixtures/fake-daemon.mjs', import.meta.url));

/**
 * What every sandbox of the tests gets besides its own options: `test/isolation/` runs some of them again in a jail.
 * A spare is for tests about spares: it takes as long to start as the sidecar that most tests are about.
 */
export const defaults: SandboxOptions = { spares: 0 };

/** A sandbox that is closed with the test. */
export function sandbox(options: SandboxOptions = {}): LocalSandbox {
  const created = createSandbox({ ...(options.command === undefined ? defaults : { spares: 0 }), ...options });
  onTestFinished(() => created.close());
  return created;
}

let kept: Sandbox | undefined;

/** A sandbox that other tests of this process use too, for a test that is about its script and not about processes. */
export function shared(): Sandbox {
  return (kept ??= createSandbox({ ...defaults, quarantineAfter: 1000 }));
}

/** A sandbox over the misbehaving daemon. */
export function fake(mode: string, options: SandboxOptions = {}): Sandbox {
  return sandbox({ command: [process.execPath, fakeDaemon, mode], spares: 0, maxProcesses: 1, ...options });
}

/** A sandbox whose sidecar answers a run with this: texts are bytes; `"$id"` and `$runId` stand for the run's. */
export function saying(said: unknown[], options: SandboxOptions = {}): Sandbox {
  return fake('says', { command: [process.execPath, fakeDaemon, 'says', JSON.stringify(said)], ...options });
}

/** Everything that a sandbox tells, in order. */
export function recorded(box: Sandbox): { event: keyof SandboxEvents; facts: SandboxEvents[keyof SandboxEvents] }[] {
  const events: ReturnType<typeof recorded> = [];
  const names: (keyof SandboxEvents)[] = [
    'spawned',
    'ready',
    'run_started',
    'run_settled',
    'crashed',
    'killed',
    'retired',
    'backing_off',
    'unavailable',
    'recovered',
    'quarantined',
  ];
  for (const event of names) box.on(event, (facts) => events.push({ event, facts }));
  return events;
}

/** The process of a sandbox that has one. */
export function pidOf(box: Sandbox): number {
  return box.stats().processes[0]?.pid as number;
}

/** The error that `promise` rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<SandboxError> {
  return await promise.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error: unknown) => error as SandboxError,
  );
}

export function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch {
    return false;
  }
}

/** Dead, but not yet collected by its parent, which for an orphan is a process that may take its time. */
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** Kills a process that may be dead already, though nobody has noticed, or that has no pid to tell yet. */
export function kill(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Waits until the processes are gone: the kernel takes a moment after SIGKILL. */
export async function gone(...pids: (number | undefined)[]): Promise<void> {
  await vi.waitFor(() => {
    if (pids.some(isAlive)) throw new Error(`still alive: ${pids.filter(isAlive).join(', ')}`);
  });
}

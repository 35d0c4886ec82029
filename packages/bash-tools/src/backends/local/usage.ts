import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { readOrEmpty } from './read-or-empty.ts';

/** How much a jail takes at this moment. */
export interface Usage {
  /** Processes and threads. */
  processes: number;
  /** Memory of its processes and shared memory, in bytes. */
  bytes: number;
  /** How many of these bytes are shared memory. */
  sharedBytes: number;
}

/**
 * How much all processes of a jail take together. They are those in the jail's own /proc, which the host sees through
 * the jail's first process; `undefined` once that is gone.
 *
 * @param init the first process of the jail, by its pid outside
 * @param enough with more processes than this, memory is not measured
 */
export function usageOf(init: number, enough: number): Usage | undefined {
  const pids = pidsIn(init);
  if (pids === undefined) return undefined;
  // A fork bomb has many processes, and measuring each takes time.
  if (pids.length > enough) return { processes: pids.length, bytes: 0, sharedBytes: 0 };
  const usage = { processes: 0, bytes: 0, sharedBytes: 0 };
  for (const pid of pids) {
    const status = readOrEmpty(`${procOf(init)}/${pid}/status`);
    usage.processes += fieldOf(status, 'Threads') ?? 1;
    const shared = (fieldOf(status, 'RssShmem') ?? 0) * 1024;
    usage.bytes += (fieldOf(status, 'RssAnon') ?? 0) * 1024 + shared;
    usage.sharedBytes += shared;
  }
  return usage;
}

/** Bytes of files that have no name any more and still take room, because a process of the jail has them open. */
export function unnamedBytes(init: number): number {
  const known = new Set<string>();
  let bytes = 0;
  for (const pid of pidsIn(init) ?? []) {
    const folder = `${procOf(init)}/${pid}/fd`;
    for (const fd of listed(folder) ?? []) {
      const stats = statSync(`${folder}/${fd}`, { throwIfNoEntry: false });
      const id = `${stats?.dev}:${stats?.ino}`;
      if (stats === undefined || !stats.isFile() || stats.nlink > 0 || known.has(id)) continue;
      known.add(id);
      bytes += stats.blocks * 512;
    }
  }
  return bytes;
}

/** Stops all processes of a jail, including those that they start meanwhile. */
export function stopAll(init: number): void {
  const stopped = new Set<number>();
  for (let round = 0; round < stoppingRounds; round++) {
    const others = descendantsOf(init).filter((pid) => !stopped.has(pid));
    if (others.length === 0) return;
    for (const pid of others) stopped.add(pid);
    signal(others, 'SIGSTOP');
  }
}

/** Lets the processes continue. */
export function continueAll(init: number): void {
  signal(descendantsOf(init), 'SIGCONT');
}

/** Processes that fork faster than this can stop them reach the limit of processes. */
const stoppingRounds = 20;

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It ended meanwhile.
    }
  }
}

/** The descendants by their pids outside. A process whose parent has ended is a child of the init. */
function descendantsOf(pid: number): number[] {
  const threads = listed(`/proc/${pid}/task`) ?? [];
  const children = threads.flatMap((thread) => readOrEmpty(`/proc/${pid}/task/${thread}/children`).split(' '));
  return children.filter((child) => child !== '').flatMap((child) => [Number(child), ...descendantsOf(Number(child))]);
}

/** The folders in /proc of all processes of a jail. */
export function pidsOf(init: number): string[] {
  return (pidsIn(init) ?? []).map((pid) => `${procOf(init)}/${pid}`);
}

const procOf = (init: number): string => `/proc/${init}/root/proc`;

function pidsIn(init: number): string[] | undefined {
  if (!isItsOwn(init)) return undefined;
  return listed(procOf(init))?.filter((name) => /^\d+$/.test(name));
}

/**
 * Whether its /proc is the jail's own. Until bwrap has built the jail, it is still that of the host, with all of the
 * host's processes.
 */
function isItsOwn(init: number): boolean {
  try {
    return readlinkSync(`${procOf(init)}/1/ns/pid`) === readlinkSync(`/proc/${init}/ns/pid`);
  } catch {
    return false;
  }
}

function listed(folder: string): string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    // The process ended just now.
    return undefined;
  }
}

function fieldOf(status: string, name: string): number | undefined {
  const value = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1];
  return value === undefined ? undefined : Number(value);
}

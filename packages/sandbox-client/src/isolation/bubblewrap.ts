import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Exit } from '../exit-cause.ts';
import { filterFd } from './jail.ts';

/** The facts that decide the arguments for a sidecar. */
export interface BubblewrapFacts extends Omit<JailFacts, 'mounts' | 'network'> {
  /** Files and folders that scripts may read, free of links. A missing one is left out. */
  roots: readonly string[];
  /** Files that the sidecar itself reads, by the paths that it opens. Links are followed. */
  own: readonly string[];
  /** Folders in which the dynamic linker finds Node's libraries. */
  libraryFolders: readonly string[];
  /** Files and folders inside `roots` that the jail does not show. They must exist. */
  hidden?: readonly Hidden[];
}

/** A file or folder that the jail hides although the folder around it is visible. It is not a link. */
export interface Hidden {
  path: string;
  isFolder: boolean;
}

/** The parts of every jail. `mounts` decides which files are in it. */
export interface JailFacts {
  /** The path of bwrap's executable. */
  path: string;
  /** From `bwrap --version`, such as `0.8.0`. */
  version: string;
  /** Whether `filterFd` gives a filter of system calls. */
  filtered: boolean;
  /** Arguments of bwrap that put files, devices and settings into the jail. Their order matters. */
  mounts: readonly string[];
  /** Leaves the network of the machine open. */
  network?: boolean;
  cwd: string;
}

/**
 * The command line, up to the command to run inside. The jail has its own namespaces for users, processes, network,
 * messages and host names, its own session, and no capability, and it ends with the thread that started it. bwrap
 * itself adds no-new-privileges. The folders that hold the mounts are read-only.
 */
export function jailCommand({ path, version, filtered, mounts, network = false, cwd }: JailFacts): string[] {
  return [
    path,
    ...['--unshare-user', '--unshare-pid', ...(network ? [] : ['--unshare-net'])],
    ...['--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    // Earlier versions cannot forbid namespaces within the namespace.
    ...(isAtLeast(version, [0, 8]) ? ['--disable-userns'] : []),
    ...(filtered ? ['--seccomp', String(filterFd)] : []),
    ...['--cap-drop', 'ALL', '--hostname', 'sandbox', '--new-session', '--die-with-parent'],
    ...mounts,
    // Through /proc a process may write the memory of others, including the jail's init. The kernel also lets the real
    // root write settings under /proc/sys without any capability.
    ...['--proc', '/proc', '--remount-ro', '/proc'],
    ...['--remount-ro', '/', '--chdir', cwd],
    '--',
  ];
}

/**
 * The command line for a sidecar. Inside there is no network, and no process of others is visible. Of the disk only
 * `roots` and `own` are visible, at the same paths as outside. Nothing can be written: there is no /tmp and no
 * /dev/shm.
 */
export function bubblewrapCommand({ roots, own, libraryFolders, hidden = [], ...facts }: BubblewrapFacts): string[] {
  const devices = ['/dev/null', '/dev/urandom'];
  const mounts = [
    ...roots.flatMap((file) => ['--ro-bind-try', file, file]),
    // A hidden folder appears empty. Opening a hidden file is refused, because devices do not work on any mount but
    // those of devices.
    ...hidden.flatMap(({ path, isFolder }) =>
      isFolder ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path],
    ),
    ...own.flatMap((file) => ['--ro-bind', file, file]),
    ...devices.flatMap((device) => ['--dev-bind', device, device]),
    // The jail has no index of libraries for the dynamic linker.
    ...(libraryFolders.length > 0 ? ['--setenv', 'LD_LIBRARY_PATH', libraryFolders.join(':')] : []),
  ];
  return jailCommand({ ...facts, mounts });
}

function isAtLeast(version: string, [major, minor]: [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

// Some signals have two names, such as SIGABRT and SIGIOT. The first one is usual, so it is inserted last and stays.
const signalNames = new Map(
  Object.entries(constants.signals)
    .map(([name, number]): [number, string] => [number, name])
    .toReversed(),
);

/**
 * Turns an exit code of bwrap back into the signal. When signal `n` ends the process inside, bwrap exits with 128 +
 * `n`, like a shell.
 */
export function exitInside(exit: Exit): Exit {
  const signal = exit.signal ?? signalNames.get((exit.exitCode ?? 0) - 128);
  return signal === undefined ? exit : { ...exit, exitCode: undefined, signal };
}

/** The processes of a jail, by their pids outside of it. */
export interface Inside {
  /** The first process inside. When it ends, all others end. Absent when the kernel does not report it. */
  init: Init | undefined;
  /** The sidecar itself, or the process that was started when the kernel does not report it. */
  sidecar: number;
}

interface Init {
  pid: number;
  /** Its start time as the kernel counts it. A pid alone is not enough, because pids are reused. */
  start: string | undefined;
}

/**
 * The processes of the jail that was started under this pid: bwrap, its init inside, and the sidecar. Call it while the
 * sidecar runs.
 */
export function processesInside(outer: number): Inside {
  const [init] = childrenOf(outer);
  if (init === undefined) return { init, sidecar: outer };
  const [sidecar = init] = childrenOf(init);
  return { init: { pid: init, start: statOf(init)?.start }, sidecar };
}

/**
 * Ends everything inside after bwrap has ended. The kernel normally does that: the init ends with bwrap, and the others
 * with the init. This is for a sidecar that found a way to make its init outlive bwrap.
 */
export async function endInside({ pid, start }: Init): Promise<void> {
  const isThere = (): boolean => {
    const now = statOf(pid);
    return now !== undefined && now.start === start && !/[ZX]/.test(now.state);
  };
  if (!isThere()) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended just now.
  }
  for (const end = performance.now() + stopMs; isThere() && performance.now() < end;) await delay(1);
}

/** How long a process may take to stop, in ms. */
const stopMs = 1_000;

/**
 * Kills the processes inside the jail that was started under this pid. Returns whether there were any. bwrap then ends
 * by itself, after everything inside has ended.
 *
 * Killing bwrap itself fails in its first milliseconds, because its child then waits for it for ever. That happened to
 * one of twenty kills within 6 ms. So bwrap is stopped first, and cannot fork after its children were listed. It stops
 * only when it runs next, which on a busy machine may be after the list was made.
 */
async function killInside(outer: number): Promise<boolean> {
  try {
    if (killChildrenOf(outer)) return true;
    process.kill(outer, 'SIGSTOP');
    for (const end = performance.now() + stopMs; !isStopped(outer) && performance.now() < end;) await delay(1);
    // If nothing is inside, bwrap stays stopped, and the caller kills it.
    if (!killChildrenOf(outer)) return false;
    process.kill(outer, 'SIGCONT');
    return true;
  } catch {
    // It ended by itself just now.
    return false;
  }
}

/** Ends a jail, given the process that was started. Returns after `gone` has settled. */
export async function endJail(subprocess: ChildProcess, pid: number, gone: Promise<unknown>): Promise<void> {
  if (!(await killInside(pid))) return void subprocess.kill('SIGKILL');
  const timer = setTimeout(() => subprocess.kill('SIGKILL'), stopMs);
  await gone;
  clearTimeout(timer);
}

function killChildrenOf(pid: number): boolean {
  const children = childrenOf(pid);
  for (const child of children) process.kill(child, 'SIGKILL');
  return children.length > 0;
}

/** Whether the process is stopped, or has ended. */
function isStopped(pid: number): boolean {
  const stat = statOf(pid);
  return stat === undefined || /[TtZX]/.test(stat.state);
}

/**
 * Whether the process exists and is stopped by a signal. Always false where the system does not report it, as on macOS.
 */
export function standsStill(pid: number): boolean {
  return /[Tt]/.test(statOf(pid)?.state ?? '');
}

/** Processor time of all threads of a process, in ms; `undefined` where the system does not report it, as on macOS. */
export function computedMs(pid: number): number | undefined {
  const ticks = statOf(pid)?.ticks;
  return ticks === undefined ? undefined : ticks * tickMs;
}

/** Linux reports hundredths of a second to programs, whatever unit the kernel itself uses. */
const tickMs = 10;

function statOf(pid: number): { state: string; start: string; ticks: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Fields 3, 14, 15 and 22 of proc(5), counted after the name, which is in parentheses and may contain anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', start: fields[19] ?? '', ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return undefined;
  }
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}

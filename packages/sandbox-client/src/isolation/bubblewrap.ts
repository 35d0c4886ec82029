import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Exit } from '../exit-cause.ts';
import { filterFd } from './jail.ts';

/** What the arguments for a sidecar depend on. */
export interface BubblewrapFacts extends Omit<JailFacts, 'mounts' | 'network'> {
  /** Files and folders that scripts may read, link-free. One that is not there any more is left out. */
  roots: readonly string[];
  /** What the sidecar itself reads, by the paths it asks for; links are followed. */
  own: readonly string[];
  /** Folders in which the dynamic linker finds Node's libraries. */
  libraryFolders: readonly string[];
}

/** What every jail is made of; what it holds is up to `mounts`. */
export interface JailFacts {
  /** bwrap's executable. */
  path: string;
  /** As `bwrap --version` says it, such as `0.8.0`. */
  version: string;
  /** Whether a filter of system calls can be read from `filterFd`. */
  filtered: boolean;
  /** Arguments of bwrap that put files, devices and settings into the jail, in the order in which it does so. */
  mounts: readonly string[];
  /** Leaves the network of the machine open. */
  network?: boolean;
  cwd: string;
}

/**
 * The command line, up to the command to run inside: namespaces of its own for users, processes, network, messages and
 * names, no capability, a session of its own, dead with the thread that started it. bwrap itself adds no-new-privileges.
 * The folders that hold the mounts are read-only.
 */
export function jailCommand({ path, version, filtered, mounts, network = false, cwd }: JailFacts): string[] {
  return [
    path,
    ...['--unshare-user', '--unshare-pid', ...(network ? [] : ['--unshare-net'])],
    ...['--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    // Of the versions before, none can forbid namespaces within the namespace.
    ...(isAtLeast(version, [0, 8]) ? ['--disable-userns'] : []),
    ...(filtered ? ['--seccomp', String(filterFd)] : []),
    ...['--cap-drop', 'ALL', '--hostname', 'sandbox', '--new-session', '--die-with-parent'],
    ...mounts,
    // By /proc a process may write the memory of the others, the jail's init among them; and the kernel lets the real
    // root write its settings under /proc/sys without any capability.
    ...['--proc', '/proc', '--remount-ro', '/proc'],
    ...['--remount-ro', '/', '--chdir', cwd],
    '--',
  ];
}

/**
 * The command line for a sidecar. Inside there is no network, no process but the jail's own, nothing of the disk but
 * `roots` and `own`, by the same paths as outside, and nothing that can be written: there is no /tmp and no /dev/shm.
 */
export function bubblewrapCommand({ roots, own, libraryFolders, ...facts }: BubblewrapFacts): string[] {
  const devices = ['/dev/null', '/dev/urandom'];
  const mounts = [
    ...roots.flatMap((file) => ['--ro-bind-try', file, file]),
    ...own.flatMap((file) => ['--ro-bind', file, file]),
    ...devices.flatMap((device) => ['--dev-bind', device, device]),
    // The linker's own index of folders is not there.
    ...(libraryFolders.length > 0 ? ['--setenv', 'LD_LIBRARY_PATH', libraryFolders.join(':')] : []),
  ];
  return jailCommand({ ...facts, mounts });
}

function isAtLeast(version: string, [major, minor]: [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

// Some have two names, such as SIGABRT and SIGIOT: the first is the usual one, and the last in a map wins.
const signalNames = new Map(
  Object.entries(constants.signals)
    .map(([name, number]): [number, string] => [number, name])
    .toReversed(),
);

/** bwrap tells the death of the process inside by signal `n` as its own exit code 128 + `n`, as a shell does. */
export function exitInside(exit: Exit): Exit {
  const signal = exit.signal ?? signalNames.get((exit.exitCode ?? 0) - 128);
  return signal === undefined ? exit : { ...exit, exitCode: undefined, signal };
}

/** The processes of a jail, by their pids outside. */
export interface Inside {
  /** The first one inside: with it all others end. Absent where the kernel does not tell. */
  init: Init | undefined;
  /** The sidecar itself; what was started where the kernel does not tell. */
  sidecar: number;
}

interface Init {
  pid: number;
  /** When it began, as the kernel counts: a pid may be given again. */
  start: string | undefined;
}

/** Of the pid that was started, once the sidecar runs: bwrap, its init inside, the sidecar. */
export function processesInside(outer: number): Inside {
  const [init] = childrenOf(outer);
  if (init === undefined) return { init, sidecar: outer };
  const [sidecar = init] = childrenOf(init);
  return { init: { pid: init, start: statOf(init)?.start }, sidecar };
}

/**
 * Has everything inside gone, once bwrap is: the kernel ends it with its init, and that with bwrap, unless a sidecar has
 * found a way to make its init outlive that.
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
    // Gone in this very moment.
  }
  for (const end = performance.now() + stopMs; isThere() && performance.now() < end;) await delay(1);
}

/** How long a process may take to stop. */
const stopMs = 1_000;

/**
 * Kills what is inside, of the pid that was started, and says whether there was anything. bwrap then ends by itself, and
 * not before everything inside is gone.
 *
 * Killing bwrap would do as well, but for its first milliseconds: what it has forked for the inside then waits for it
 * for ever, as seen in one of twenty kills within 6 ms. Stopped, it cannot fork after we looked; but it stops only when
 * it next comes to run, which on a busy machine is later than the look.
 */
async function killInside(outer: number): Promise<boolean> {
  try {
    if (killChildrenOf(outer)) return true;
    process.kill(outer, 'SIGSTOP');
    for (const end = performance.now() + stopMs; !isStopped(outer) && performance.now() < end;) await delay(1);
    // Without anything inside it is left stopped, to be killed.
    if (!killChildrenOf(outer)) return false;
    process.kill(outer, 'SIGCONT');
    return true;
  } catch {
    // Gone by itself in this very moment.
    return false;
  }
}

/** Ends a jail by the process that was started; returns when `gone` does. */
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

/** Or gone. */
function isStopped(pid: number): boolean {
  const stat = statOf(pid);
  return stat === undefined || /[TtZX]/.test(stat.state);
}

function statOf(pid: number): { state: string; start: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // After the name, which is in parentheses and may hold anything: fields 3 and 22 of proc(5).
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', start: fields[19] ?? '' };
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

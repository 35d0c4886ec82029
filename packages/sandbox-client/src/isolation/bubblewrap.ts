import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Exit } from '../exit-cause.ts';
import { filterFd } from './jail.ts';

/** What the arguments depend on. */
export interface BubblewrapFacts {
  /** bwrap's executable. */
  path: string;
  /** As `bwrap --version` says it, such as `0.8.0`. */
  version: string;
  /** Files and folders that scripts may read, link-free. One that is not there any more is left out. */
  roots: readonly string[];
  /** What the sidecar itself reads, by the paths it asks for; links are followed. */
  own: readonly string[];
  /** Folders in which the dynamic linker finds Node's libraries. */
  libraryFolders: readonly string[];
  /** Whether the host is root. */
  root: boolean;
  /** Whether a filter of system calls can be read from `filterFd`. */
  filtered: boolean;
  cwd: string;
}

/**
 * The command line, up to the command to run inside.
 *
 * Inside there is no network, no process but the jail's own, nothing of the disk but `roots` and `own`, by the same
 * paths as outside, and nothing that can be written: also the folders that hold the mounts are read-only, and there is
 * no /tmp and no /dev/shm. bwrap itself adds no-new-privileges.
 */
export function bubblewrapCommand(facts: BubblewrapFacts): string[] {
  const { path, version, roots, own, libraryFolders, root, filtered, cwd } = facts;
  const devices = ['/dev/null', '/dev/urandom'];
  return [
    path,
    ...['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    // Of the versions before, none can forbid namespaces within the namespace.
    ...(isAtLeast(version, [0, 8]) ? ['--disable-userns'] : []),
    ...(filtered ? ['--seccomp', String(filterFd)] : []),
    ...['--cap-drop', 'ALL', '--hostname', 'sandbox', '--new-session', '--die-with-parent'],
    ...roots.flatMap((file) => ['--ro-bind-try', file, file]),
    ...own.flatMap((file) => ['--ro-bind', file, file]),
    ...devices.flatMap((device) => ['--dev-bind', device, device]),
    ...['--proc', '/proc'],
    // The kernel lets the real root write its settings under /proc/sys without any capability.
    ...(root ? ['--remount-ro', '/proc'] : []),
    ...['--remount-ro', '/', '--chdir', cwd],
    // The linker's own index of folders is not there.
    ...(libraryFolders.length > 0 ? ['--setenv', 'LD_LIBRARY_PATH', libraryFolders.join(':')] : []),
    '--',
  ];
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

/**
 * The sidecar's own pid once it runs, of the pid that was started: bwrap, its init inside, the sidecar. `outer` itself
 * where the kernel does not tell.
 */
export function pidInside(outer: number): number {
  const [init = outer] = childrenOf(outer);
  const [sidecar = init] = childrenOf(init);
  return sidecar;
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
export async function killInside(outer: number): Promise<boolean> {
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

function killChildrenOf(pid: number): boolean {
  const children = childrenOf(pid);
  for (const child of children) process.kill(child, 'SIGKILL');
  return children.length > 0;
}

/** Or gone. The state follows the name, which is in parentheses and may hold anything. */
function isStopped(pid: number): boolean {
  try {
    return /\) [TtZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return true;
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

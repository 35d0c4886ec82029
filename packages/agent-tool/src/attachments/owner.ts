import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * The process that made a file, as part of the file's name: `<host>-<pid>-<start>-<random>`. It is in the name because
 * a crash can leave content half written, but never a name.
 */
export interface Owner {
  /** Hash of the computer's name and the process namespace, because a pid is unique only within both. */
  host: string;
  pid: number;
  /** Boot and start time of the process, because pids are reused; `0` if unknown. */
  start: string;
}

/** `unknown` is a process on another computer, or one that cannot be distinguished from another with the same pid. */
export type OwnerState = 'alive' | 'dead' | 'unknown';

/** A regular expression for the result of `ownerTag`, with a group for each part of an owner. */
export const ownerPattern = '([0-9a-f]{8})-(\\d{1,10})-([0-9a-z]{1,24})-[0-9a-f]{12}';

const host = createHash('sha256')
  .update(`${hostname()}\0${readProc(() => readlinkSync('/proc/self/ns/pid')) ?? ''}`)
  .digest('hex')
  .slice(0, 8);

const bootId = readProc(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))?.slice(0, 8);

const ownStart = processOf(process.pid)?.start ?? '0';

/** A part for file names that is new with every call and identifies this process. */
export function ownerTag(): string {
  return `${host}-${process.pid}-${ownStart}-${randomBytes(6).toString('hex')}`;
}

/** @param groups of a match of `ownerPattern` */
export function ownerOf([hostPart, pid, start]: readonly (string | undefined)[]): Owner {
  return { host: hostPart ?? '', pid: Number(pid), start: start ?? '' };
}

/** Whether the process in a file's name is still running. */
export function stateOf(owner: Owner): OwnerState {
  if (owner.host !== host) return 'unknown';
  if (!isRunning(owner.pid)) return 'dead';
  const found = processOf(owner.pid);
  if (found === undefined || owner.start === '0') return 'unknown';
  // A zombie has ended, but its parent has not collected it yet.
  return found.start === owner.start && found.state !== 'Z' && found.state !== 'X' ? 'alive' : 'dead';
}

export function isThisHost(owner: Owner): boolean {
  return owner.host === host;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process runs and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** What Linux knows of a process; `undefined` on other systems. */
function processOf(pid: number): { state: string; start: string } | undefined {
  const stat = readProc(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (stat === undefined || bootId === undefined) return undefined;
  // The second field, the program's name in parentheses, may hold spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // Fields 3 and 22 of proc(5).
  const [state, startTicks] = [fields[0], fields[19]];
  if (state === undefined || startTicks === undefined) return undefined;
  return { state, start: `${bootId}${Number(startTicks).toString(36)}` };
}

function readProc(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

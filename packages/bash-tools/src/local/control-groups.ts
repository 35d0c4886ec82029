import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quoted } from './shell.ts';

/** A control group of one jail. */
export interface ControlGroup {
  /** Commands of a shell, which enters the group: what it becomes is in the group from its first moment. */
  readonly enter: string;
  /** Nothing is left of the jail: the next one may have the group. */
  release(): void;
}

const prefix = 'mustard-bash-';
/** Younger ones may be about to get their first process. In ms. */
const leftBehindAfter = 60_000;
/** The kernel takes some milliseconds to forget the last process of a group. */
const removal = { tries: 40, everyMs: 25 };

/**
 * Bounds the processes of jails whose host is root. The kernel does not count the processes of root against
 * `ulimit -u`, in no namespace. A fork bomb would then be held by looks at the jail alone, and would outgrow them on a
 * busy machine.
 */
export class ControlGroups {
  readonly #parent: string;
  readonly #processes: number;
  /** Folders of groups that no jail has. */
  readonly #free: string[] = [];
  #isClosed = false;

  private constructor(parent: string, processes: number) {
    this.#parent = parent;
    this.#processes = processes;
  }

  /**
   * @param processes how many processes and threads a group may have
   * @returns `undefined` where they are not needed, or not to be had: in most containers they cannot be written
   */
  static find(processes: number): ControlGroups | undefined {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
    for (const parent of parents()) {
      const groups = new ControlGroups(parent, processes);
      const tried = groups.#make();
      if (tried === undefined) continue;
      groups.#free.push(tried);
      groups.#removeLeftBehind();
      return groups;
    }
    return undefined;
  }

  /** One for a jail; `undefined` when the system gives none. */
  take(): ControlGroup | undefined {
    const folder = this.#free.pop() ?? this.#make();
    if (folder === undefined) return undefined;
    return {
      enter: `echo $$ >${quoted(join(folder, 'cgroup.procs'))}`,
      release: () => {
        this.#free.push(folder);
        if (this.#isClosed) void this.close();
      },
    };
  }

  /** Removes those that no jail has, and each of the others when its jail ends. What stays, the next host removes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (let tries = 0; tries < removal.tries && this.#free.length > 0; tries++) {
      if (tries > 0) await sleep(removal.everyMs);
      for (const folder of this.#free.splice(0)) if (!removeEmpty(folder)) this.#free.push(folder);
    }
  }

  #make(): string | undefined {
    const folder = join(this.#parent, `${prefix}${randomUUID()}`);
    try {
      mkdirSync(folder);
      // Opened without creating it: where the file is missing, groups have no limit on processes.
      writeFileSync(join(folder, 'pids.max'), String(this.#processes), { flag: 'r+' });
      return folder;
    } catch {
      removeEmpty(folder);
      return undefined;
    }
  }

  /** Those of hosts that were killed. */
  #removeLeftBehind(): void {
    const old = Date.now() - leftBehindAfter;
    for (const name of readdirSync(this.#parent)) {
      const folder = join(this.#parent, name);
      const stats = name.startsWith(prefix) ? statSync(folder, { throwIfNoEntry: false }) : undefined;
      if (stats !== undefined && stats.mtimeMs < old) removeEmpty(folder);
    }
  }
}

/** Whether it is gone. The kernel refuses to remove a group that still has processes. */
function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return !existsSync(folder);
  }
}

/**
 * Where a group can be made: below the group of this process; with version 2 also beside it, because there a group that
 * has processes itself has no groups with limits below it.
 */
function parents(): string[] {
  try {
    const own = readFileSync('/proc/self/cgroup', 'utf8').split('\n');
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n').map(mountOf);
    const first = mounts.find(({ kind, options }) => kind === 'cgroup' && options.includes('pids'));
    const second = mounts.find(({ kind }) => kind === 'cgroup2');
    const below = [folderIn(first, groupOf(own, 'pids')), folderIn(second, groupOf(own, ''))];
    const beside = below[1] === undefined || below[1] === second?.at ? undefined : dirname(below[1]);
    return [...below, beside].filter((folder) => folder !== undefined);
  } catch {
    return [];
  }
}

interface Mount {
  kind: string;
  /** Which part of the hierarchy is mounted. */
  root: string;
  at: string;
  options: string[];
}

/** A line of /proc/self/mountinfo, as proc(5) has it. */
function mountOf(line: string): Mount {
  const [root = '', at = ''] = line.split(' ').slice(3, 5);
  const [kind = '', , options = ''] = (line.split(' - ')[1] ?? '').split(' ');
  return { kind, root, at, options: options.split(',') };
}

/** The group of this process for a controller, from the lines of /proc/self/cgroup. Version 2 has the empty name. */
function groupOf(lines: readonly string[], controller: string): string | undefined {
  return lines.map((line) => line.split(':')).find(([, names]) => names?.split(',').includes(controller))?.[2];
}

/** In a container the group may lie outside of what is mounted. */
function folderIn(mount: Mount | undefined, group: string | undefined): string | undefined {
  if (mount === undefined || group === undefined) return undefined;
  const path = relative(mount.root, group);
  return path.startsWith('..') ? undefined : join(mount.at, path);
}

import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quoted } from './shell.ts';

/** A control group of one jail. With version 1 of control groups it is one group for each controller. */
export interface ControlGroup {
  /**
   * Commands for a shell, with which it enters the group. The program that it becomes is in the group from its first
   * moment.
   */
  readonly enter: string;
  /** Whether the kernel ended a process because the group ran out of memory. */
  isOutOfMemory(): boolean;
  /** Call this when nothing is left of the jail. The next jail may then have the group. */
  release(): void;
}

/** The limits of a group. */
export interface GroupLimits {
  /** Processes and threads. */
  processes: number;
  memoryBytes: number;
}

/** What the kernel bounds by groups on this machine. */
export type Bounded = 'processes' | 'memory';

const prefix = 'mustard-bash-';
/** In ms. A younger group may be about to get its first process. */
const leftBehindAfter = 60_000;
/** The kernel takes some milliseconds to forget the last process of a group. */
const removal = { tries: 40, everyMs: 25 };

/** Where groups are made, and what is written into them. */
interface Hierarchy {
  parent: string;
  bounds: readonly Bounded[];
  /**
   * The settings by the names of their files. A setting that some systems lack, such as a limit of swap, is optional.
   */
  settings: readonly { file: string; value: string; optional?: true }[];
}

/**
 * Bounds what limits of a process do not cover: the processes of a host that is root, which the kernel counts against
 * `ulimit -u` in no namespace, and memory of the kernel, such as data on its way through sockets.
 */
export class ControlGroups {
  readonly #hierarchies: readonly Hierarchy[];
  /** Folders of groups without a jail. Each entry has one folder for each hierarchy. */
  readonly #free: string[][] = [];
  #isClosed = false;

  private constructor(hierarchies: readonly Hierarchy[]) {
    this.#hierarchies = hierarchies;
  }

  /** @returns `undefined` when groups are not available; most containers cannot write them */
  static find(limits: GroupLimits): ControlGroups | undefined {
    if (process.platform !== 'linux') return undefined;
    const found: Hierarchy[] = [];
    for (const hierarchy of candidates(limits)) {
      const isNew = hierarchy.bounds.some((bound) => !found.some(({ bounds }) => bounds.includes(bound)));
      const tried = isNew ? make(hierarchy, randomUUID()) : undefined;
      if (tried === undefined) continue;
      removeEmpty(tried);
      found.push(hierarchy);
      removeLeftBehind(hierarchy.parent);
    }
    return found.length === 0 ? undefined : new ControlGroups(found);
  }

  get bounds(): readonly Bounded[] {
    return this.#hierarchies.flatMap(({ bounds }) => bounds);
  }

  /** Takes a group for a jail; `undefined` when the system gives none. */
  take(): ControlGroup | undefined {
    const folders = this.#free.pop() ?? this.#make();
    if (folders === undefined) return undefined;
    const killedBefore = killedIn(folders);
    return {
      enter: folders.map((folder) => `echo $$ >${quoted(join(folder, 'cgroup.procs'))}`).join('; '),
      isOutOfMemory: () => killedIn(folders) > killedBefore,
      release: () => {
        this.#free.push(folders);
        if (this.#isClosed) void this.close();
      },
    };
  }

  /**
   * Removes the groups without a jail now, and each of the others when its jail ends. The next host removes any that
   * remain.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (let tries = 0; tries < removal.tries && this.#free.length > 0; tries++) {
      if (tries > 0) await sleep(removal.everyMs);
      for (const folders of this.#free.splice(0)) {
        const left = folders.filter((folder) => !removeEmpty(folder));
        if (left.length > 0) this.#free.push(left);
      }
    }
  }

  #make(): string[] | undefined {
    const id = randomUUID();
    const folders = this.#hierarchies.map((hierarchy) => make(hierarchy, id));
    if (folders.every((folder) => folder !== undefined)) return folders;
    for (const folder of folders) if (folder !== undefined) removeEmpty(folder);
    return undefined;
  }
}

function make({ parent, settings }: Hierarchy, id: string): string | undefined {
  const folder = join(parent, `${prefix}${id}`);
  try {
    mkdirSync(folder);
    for (const { file, value, optional } of settings) {
      try {
        // The file is not created: when it is missing, groups have no such limit.
        writeFileSync(join(folder, file), value, { flag: 'r+' });
      } catch (error) {
        if (optional !== true) throw error;
      }
    }
    return folder;
  } catch {
    removeEmpty(folder);
    return undefined;
  }
}

/** How many processes of a group the kernel has ended because memory ran out. */
function killedIn(folders: readonly string[]): number {
  let killed = 0;
  for (const folder of folders) {
    for (const file of ['memory.events', 'memory.oom_control']) {
      try {
        killed += Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(folder, file), 'utf8'))?.[1] ?? 0);
      } catch {
        // This file belongs to the other version, or to another controller.
      }
    }
  }
  return killed;
}

/** Removes the groups of hosts that were killed. */
function removeLeftBehind(parent: string): void {
  const old = Date.now() - leftBehindAfter;
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name);
    const stats = name.startsWith(prefix) ? statSync(folder, { throwIfNoEntry: false }) : undefined;
    if (stats !== undefined && stats.mtimeMs < old) removeEmpty(folder);
  }
}

/** Removes a group and returns whether it is gone. The kernel refuses to remove a group that still has processes. */
function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return !existsSync(folder);
  }
}

/**
 * Where groups may be made: below the group of this process. With version 2 also beside it, because there a group that
 * has processes itself can have no groups with limits below it.
 */
function candidates({ processes, memoryBytes }: GroupLimits): Hierarchy[] {
  try {
    const own = readFileSync('/proc/self/cgroup', 'utf8').split('\n');
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n').map(mountOf);
    const first = (controller: string): string | undefined => {
      const mount = mounts.find(({ kind, options }) => kind === 'cgroup' && options.includes(controller));
      return folderIn(mount, groupOf(own, controller));
    };
    const second = mounts.find(({ kind }) => kind === 'cgroup2');
    const below = folderIn(second, groupOf(own, ''));
    const beside = below === undefined || below === second?.at ? undefined : dirname(below);
    const pids = { file: 'pids.max', value: String(processes) };
    const bytes = String(memoryBytes);
    const ofSecond = [
      ...[pids, { file: 'memory.max', value: bytes }, { file: 'memory.swap.max', value: '0', optional: true as const }],
      { file: 'memory.oom.group', value: '1', optional: true as const },
    ];
    // TCP sockets are counted apart.
    const ofFirst = ['memory.memsw.limit_in_bytes', 'memory.kmem.tcp.limit_in_bytes'];
    const all: (Omit<Hierarchy, 'parent'> & { parent: string | undefined })[] = [
      ...[below, beside].map((parent) => ({ parent, bounds: ['processes', 'memory'] as const, settings: ofSecond })),
      { parent: first('pids'), bounds: ['processes'], settings: [pids] },
      {
        parent: first('memory'),
        bounds: ['memory'],
        settings: [
          { file: 'memory.limit_in_bytes', value: bytes },
          ...ofFirst.map((file) => ({ file, value: bytes, optional: true as const })),
        ],
      },
      ...[below, beside].map((parent) => ({ parent, bounds: ['processes'] as const, settings: [pids] })),
    ];
    return all.flatMap(({ parent, ...rest }) => (parent === undefined ? [] : [{ parent, ...rest }]));
  } catch {
    return [];
  }
}

interface Mount {
  kind: string;
  /** The part of the hierarchy that is mounted. */
  root: string;
  at: string;
  options: string[];
}

/** Parses a line of /proc/self/mountinfo: see proc(5). */
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

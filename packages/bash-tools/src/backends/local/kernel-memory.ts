import { readdirSync, readlinkSync } from 'node:fs';
import { pidsOf } from './usage.ts';
import { readOrEmpty } from './read-or-empty.ts';

/**
 * How much data one unix socket may hold on its way: net.core.wmem_max, doubled because the kernel counts its own
 * overhead.
 */
const unixSocketBytes = 2 * 212_992;
/** How much all pipes of a user may hold before a new pipe gets only two pages: fs.pipe-user-pages-soft. */
const pipesBytes = 64 * 1024 * 1024;
const pipe = { most: 64 * 1024, least: 2 * 4096, itself: 2048 };

/** How much memory the machine can still give, and how much of it is shared memory, in bytes. */
export interface MachineMemory {
  available: number;
  shared: number;
}

export function machineMemory(): MachineMemory {
  const text = readOrEmpty('/proc/meminfo');
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) * 1024;
  return { available: field('MemAvailable'), shared: field('Shmem') };
}

/**
 * The most that a jail can hold in the kernel, which counts it to no process: data that waits in TCP sockets, and data
 * that fits into all other sockets and into pipes.
 *
 * @param init the first process of the jail, by its pid outside
 */
export function pipeAndSocketBytes(init: number): number {
  const tcp = ['tcp', 'tcp6'].flatMap((name) =>
    readOrEmpty(`/proc/${init}/net/${name}`).split('\n').slice(1).filter(Boolean),
  );
  const waiting = tcp.map((line) => {
    const [sent = '0', received = '0'] = (line.trim().split(/\s+/)[4] ?? '').split(':');
    return Number.parseInt(sent, 16) + Number.parseInt(received, 16);
  });
  const open = openedBy(init);
  const count = (kind: string): number => open.filter((target) => target.startsWith(kind)).length;
  const others = Math.max(0, count('socket:') - tcp.length);
  const pipes = count('pipe:');
  return (
    waiting.reduce((sum, bytes) => sum + bytes, 0) +
    others * unixSocketBytes +
    Math.min(pipes * pipe.most, pipesBytes) +
    pipes * (pipe.least + pipe.itself)
  );
}

/**
 * The most shared memory that a jail can hold. The kernel counts it to a process only while it is mapped page by page,
 * and a program can unmap its pages without freeing them.
 */
export function sharedBytes(init: number): number {
  const sizes = new Map<string, number>();
  for (const pid of pidsOf(init)) {
    for (const [, from = '0', to = '0', inode = ''] of readOrEmpty(`${pid}/maps`).matchAll(sharedMapping)) {
      const bytes = Number.parseInt(to, 16) - Number.parseInt(from, 16);
      sizes.set(`${inode} ${from}`, Math.max(bytes, sizes.get(`${inode} ${from}`) ?? 0));
    }
  }
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** A line of /proc/PID/maps for anonymous memory that processes share. The kernel gives it this name. */
const sharedMapping = /^([\da-f]+)-([\da-f]+) ..\Ss \S+ \S+ (\d+) +\/dev\/zero \(deleted\)$/gm;

/** The targets of the descriptors of a jail, each once. */
function openedBy(init: number): string[] {
  const found = new Set<string>();
  for (const pid of pidsOf(init)) {
    try {
      for (const fd of readdirSync(`${pid}/fd`)) found.add(linkOf(`${pid}/fd/${fd}`));
    } catch {
      // It ended meanwhile.
    }
  }
  return [...found];
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

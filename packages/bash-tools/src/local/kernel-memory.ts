import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { pidsOf } from './usage.ts';

/** What one unix socket may have under way: net.core.wmem_max, which the kernel doubles for what it keeps with it. */
const unixSocketBytes = 2 * 212_992;

/** What the machine could still give, in bytes. */
export function availableBytes(): number {
  return Number(/^MemAvailable:\s+(\d+)/m.exec(textOf('/proc/meminfo'))?.[1] ?? 0) * 1024;
}

/**
 * The most that sockets of a jail can hold in the kernel, which counts it to no process: what waits in those of TCP, and
 * what fits into all others.
 *
 * @param init the first process of the jail, by its pid outside
 */
export function socketBytes(init: number): number {
  const tcp = ['tcp', 'tcp6'].flatMap((name) =>
    textOf(`/proc/${init}/net/${name}`).split('\n').slice(1).filter(Boolean),
  );
  const waiting = tcp.map((line) => {
    const [sent = '0', received = '0'] = (line.trim().split(/\s+/)[4] ?? '').split(':');
    return Number.parseInt(sent, 16) + Number.parseInt(received, 16);
  });
  const others = Math.max(0, socketsOf(init).size - tcp.length);
  return waiting.reduce((sum, bytes) => sum + bytes, 0) + others * unixSocketBytes;
}

function socketsOf(init: number): Set<string> {
  const found = new Set<string>();
  for (const pid of pidsOf(init)) {
    try {
      for (const fd of readdirSync(`${pid}/fd`)) {
        const target = linkOf(`${pid}/fd/${fd}`);
        if (target.startsWith('socket:')) found.add(target);
      }
    } catch {
      // It ended meanwhile.
    }
  }
  return found;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

import { closeSync, fstatSync, readdirSync, readFileSync } from 'node:fs';

const closeOnExec = 0o2000000;

/**
 * Closes what the host left open in this process besides its stdio: files and sockets that its native modules opened
 * without close-on-exec, or that it was itself started with. Node closes those that it opened itself. Linux only:
 * elsewhere the system hands over nothing but stdio.
 */
export function closeInheritedHandles(): void {
  if (process.platform !== 'linux') return;
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    if (fd > 2 && isInherited(fd)) closeSync(fd);
  }
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0';
    if ((parseInt(flags, 8) & closeOnExec) === 0) return true;
    // Node marks what it finds at its start, as far as the first gap. Of its own it has no file and no socket open here.
    const stats = fstatSync(fd);
    return stats.isFile() || stats.isDirectory() || stats.isSocket();
  } catch {
    // The one that was listing the folder.
    return false;
  }
}

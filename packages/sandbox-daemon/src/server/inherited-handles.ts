import { closeSync, fstatSync, readdirSync, readFileSync } from 'node:fs';

const closeOnExec = 0o2000000;

/**
 * Closes files and sockets that this process inherited from the host, except stdio. Native modules of the host may open
 * them without close-on-exec, or the host inherited them itself. Node closes the ones that Node opened. This is for
 * Linux only, because other systems pass on only stdio.
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
    // At its start Node marks the descriptors that it finds, up to the first gap. Node itself has no file and no socket
    // open here.
    const stats = fstatSync(fd);
    return stats.isFile() || stats.isDirectory() || stats.isSocket();
  } catch {
    // The descriptor that listed the folder is closed already.
    return false;
  }
}

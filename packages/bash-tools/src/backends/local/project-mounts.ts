import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { inside, type Folders } from './toolchain.ts';

/**
 * Where the packages are mounted. It is inside the workspace, because some bundlers, such as Turbopack, refuse links
 * that lead out of the folder that they build. The workspace's own `node_modules` links to it, as with pnpm.
 */
export const mountedPackages = '.mustard/app/node_modules';
export const mountedGit = '/app/.git';
/** The mounts of what is never copied. Everything in them is read-only. */
export function mountsOfProject({ files, project }: Folders): string[] {
  if (project === undefined) return [];
  const [modules, venv, objects] = [
    join(project, 'node_modules'),
    join(project, '.venv'),
    join(project, '.git/objects'),
  ];
  return [
    ...(isFolder(modules) && canMountIn(files) ? ['--ro-bind-try', modules, join(inside.files, mountedPackages)] : []),
    // Its programs name the folder by its path on this machine.
    ...(isFolder(venv) && !isOwnPath(venv) ? ['--ro-bind-try', venv, venv] : []),
    ...(isFolder(join(project, '.git')) && isFolder(objects)
      ? ['--ro-bind-try', objects, `${mountedGit}/objects`]
      : []),
  ];
}

/** Whether a folder is there, and no link. */
export function isFolder(path: string): boolean {
  // A link could lead anywhere. A repository may contain one with this name.
  return statsOf(path)?.isDirectory() === true;
}

export function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // A part of the path is a file, or may not be looked at.
    return undefined;
  }
}

/** Whether no command put something else where the mount would go. Otherwise no jail could be made any more. */
function canMountIn(files: string): boolean {
  return ['.mustard', '.mustard/app', mountedPackages].every((name) => {
    const stats = statsOf(join(files, name));
    return stats === undefined || stats.isDirectory();
  });
}

/** Whether the jail has something of its own at this path. */
function isOwnPath(path: string): boolean {
  const own = ['/usr', '/etc', '/dev', '/proc', '/bin', '/sbin', '/lib', inside.files, inside.home];
  return own.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

import { sep } from 'node:path';

/** The most roots of one sandbox: bubblewrap takes 9,000 arguments, and needs three for each root. */
export const maxRoots = 1_000;

/** Whether one of `roots` is `path` or a folder above it. All must be absolute paths of this machine, without links. */
export function isInside(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep));
}

import { sep } from 'node:path';

/** How many roots one sandbox may have: bubblewrap takes 9,000 arguments, and each root is three of them. */
export const maxRoots = 1_000;

/** Whether one of `roots` is `path` or a folder above it. All of them link-free, absolute paths of this machine. */
export function isInside(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep));
}

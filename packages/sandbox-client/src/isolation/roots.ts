import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Whether `root` is a whole file system. Such a root is its own parent. */
export function isFileSystem(root: string): boolean {
  return dirname(root) === root;
}

/**
 * Identifies the files and folders that are at `roots` now. A jail keeps the ones that were there when it began. If the
 * identity has changed since then, the sidecar in it sees files that are gone.
 */
export function identityOf(roots: readonly string[]): string {
  return roots
    .map((root) => {
      try {
        const { dev, ino } = statSync(root);
        return `${dev}:${ino}`;
      } catch {
        // It is missing, or cannot be reached, such as a link to itself.
        return '';
      }
    })
    .join();
}

/**
 * The roots that are still at their paths. A root that is missing, or was replaced by a link, is left out, because a
 * mount would follow the link.
 */
export function stillInPlace(roots: readonly string[]): string[] {
  return roots.filter((root) => {
    try {
      return realpathSync.native(root) === root;
    } catch {
      return false;
    }
  });
}

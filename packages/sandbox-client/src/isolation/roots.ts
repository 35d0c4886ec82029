import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Whether `root` is a whole file system: its own parent. */
export function isFileSystem(root: string): boolean {
  return dirname(root) === root;
}

/**
 * Identifies the files and folders that are at `roots` now. A jail keeps those that were there when it began. If the
 * answer has changed since, the sidecar in it sees files that are gone.
 */
export function identityOf(roots: readonly string[]): string {
  return roots
    .map((root) => {
      try {
        const { dev, ino } = statSync(root);
        return `${dev}:${ino}`;
      } catch {
        // Missing, or not reachable, such as a link to itself.
        return '';
      }
    })
    .join();
}

/** The roots that are still at their paths: not missing, and not replaced by links, which a mount would follow. */
export function stillInPlace(roots: readonly string[]): string[] {
  return roots.filter((root) => {
    try {
      return realpathSync.native(root) === root;
    } catch {
      return false;
    }
  });
}

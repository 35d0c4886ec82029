import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isInside, SandboxError } from '@mustard-sandbox/daemon/protocol';

/**
 * The absolute paths of `roots`, free of links, without roots inside another root.
 *
 * @throws {SandboxError} `invalid_request` for a root that is missing, or is neither a folder nor a file
 */
export function resolveRoots(roots: readonly string[]): string[] {
  const all = [...new Set(roots.map(resolveRoot))];
  return all.filter((root) => !isInside(root, without(all, root)));
}

function resolveRoot(root: string): string {
  const shown = JSON.stringify(root);
  if (root === '') throw invalid('one of them is empty');
  let real: string;
  try {
    // A relative path counts from the host's working folder.
    real = realpathSync.native(root);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'error';
    throw invalid(`${shown} is not there or cannot be reached (${code}); create it before the sandbox`);
  }
  const stats = statSync(real);
  if (stats.isDirectory() || stats.isFile()) return real;
  throw invalid(`${shown} is neither a folder nor a regular file`);
}

function without(all: string[], root: string): string[] {
  return all.filter((other) => other !== root);
}

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

function invalid(why: string): SandboxError {
  return new SandboxError('invalid_request', `createSandbox(): roots: ${why}.`);
}

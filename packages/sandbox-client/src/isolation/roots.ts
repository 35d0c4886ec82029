import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isInside, SandboxError } from '@mustard-sandbox/daemon/protocol';

/**
 * Link-free absolute paths of what `roots` names, without those that lie inside another one.
 *
 * @throws {SandboxError} `invalid_request` for one that is not there, or is neither a folder nor a file
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
    // A relative path is one of the host's working folder.
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
 * Which files and folders are at `roots` right now. A jail keeps what was there when it began, so a sidecar whose
 * answer is no longer this one sees something that is gone.
 */
export function identityOf(roots: readonly string[]): string {
  return roots
    .map((root) => {
      try {
        const { dev, ino } = statSync(root);
        return `${dev}:${ino}`;
      } catch {
        // Not there, or not to be reached, such as a link that leads to itself.
        return '';
      }
    })
    .join();
}

/** Those of `roots` that are still at their own path: not gone, and not links by now, which a mount would follow. */
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

import { realpathSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { invalidRequest } from '@mustard-sandbox/protocol';

/** Whether `path` is one of `roots` or lies below one. All must be absolute paths of this machine, without links. */
export function isInside(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep));
}

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
  if (root === '') throw invalidRequest('createSandbox()', 'roots', 'one of them is empty');
  let real: string;
  try {
    // A relative path counts from the host's working folder.
    real = realpathSync.native(root);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'error';
    throw invalidRequest(
      'createSandbox()',
      'roots',
      `${shown} is not there or cannot be reached (${code}); create it before the sandbox`,
    );
  }
  const stats = statSync(real);
  if (stats.isDirectory() || stats.isFile()) return real;
  throw invalidRequest('createSandbox()', 'roots', `${shown} is neither a folder nor a regular file`);
}

function without(all: string[], root: string): string[] {
  return all.filter((other) => other !== root);
}

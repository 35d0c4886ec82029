import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isSecret } from '@mustard-sandbox/client/files';
import { isInside } from '@mustard-sandbox/client/peer';
import type { FileWrapper, FolderWrapper } from '../wire/files.ts';
import { refused } from './problems.ts';

/** The path without links of the same file or folder under an allowed root; `undefined` where it is not there. */
export async function inPlace(
  file: FileWrapper | FolderWrapper,
  roots: readonly string[],
): Promise<string | undefined> {
  const real = await realPathInRoots(file.path, roots);
  return real !== undefined && (await isSame(real, file)) ? real : undefined;
}

/** Whether what is there has the same time, and a file the same size, as at the client. */
async function isSame(real: string, file: FileWrapper | FolderWrapper): Promise<boolean> {
  try {
    const stats = await stat(real);
    if (stats.mtimeMs !== file.mtimeMs) return false;
    return 'folder' in file ? stats.isDirectory() : stats.isFile() && stats.size === file.size;
  } catch {
    return false;
  }
}

/** The path without links of what a client may name: inside of a root, and no denied name below it. */
async function realPathInRoots(path: string, roots: readonly string[]): Promise<string | undefined> {
  if (roots.length === 0) return undefined;
  try {
    const real = await realpath(path);
    const mayBeRead = (root: string): boolean =>
      isInside(real, [root]) && [real, path].every((one) => !isDeniedBelow(root, one));
    return roots.some(mayBeRead) ? real : undefined;
  } catch {
    return undefined;
  }
}

function isDeniedBelow(root: string, path: string): boolean {
  return isInside(path, [root]) && isSecret(relative(root, path).split(sep));
}

/**
 * The path of the server that a client wrote, without links.
 *
 * @throws {SandboxError} `invalid_request`, with the same words for whatever is not given: whether a path outside of the
 *   roots exists is nobody's business
 */
export async function realOfText(
  path: string,
  roots: readonly string[],
  { what, noLinks, isFolder = false }: { what: string; noLinks?: boolean | undefined; isFolder?: boolean },
): Promise<string> {
  const real = await realPathInRoots(path, roots);
  if (real !== undefined) {
    const stats = await stat(real).catch(() => undefined);
    const isKind = isFolder ? stats?.isDirectory() === true : stats?.isFile() === true;
    if (isKind && (noLinks !== true || real === join(await realpath(dirname(path)), basename(path)))) return real;
  }
  throw refused(
    404,
    `${what} names no ${isFolder ? 'folder' : 'file'} that this server gives: it is not there, lies outside the folders ` +
      'that the server allows (--allow-root), or has a name that no script may read.',
  );
}

import { createHash } from 'node:crypto';
import { createReadStream, type BigIntStats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isInside, isSecret } from '@mustard-sandbox/paths';
import { maxComparedBytes, type FileWrapper, type FolderWrapper } from '../wire/files.ts';
import { refused } from './problems.ts';

/** How many bytes are read at once. */
const chunkBytes = 1024 * 1024;

/** A file or folder of the server that is used in place of the client's. */
export interface InPlace {
  /** The path without links. */
  path: string;
  /** Whether its content was compared. If not, its time is the same, and for a file also its size. */
  isCompared: boolean;
}

/** The file or folder at the same path under an allowed root; `undefined` when it is not the client's. */
export async function inPlace(
  file: FileWrapper | FolderWrapper,
  roots: readonly string[],
): Promise<InPlace | undefined> {
  const path = await realPathInRoots(file.path, roots);
  if (path === undefined) return undefined;
  try {
    const stats = await stat(path, { bigint: true });
    // The milliseconds of a file are a fraction, which must not be compared with whole nanoseconds.
    if ((await stat(path)).mtimeMs !== file.mtimeMs) return undefined;
    if ('folder' in file) return stats.isDirectory() ? { path, isCompared: false } : undefined;
    if (!stats.isFile() || Number(stats.size) !== file.size) return undefined;
    // An edit may keep size and time, on purpose or because a clock ticks slowly.
    if (file.sha256 === undefined || file.size > maxComparedBytes) return { path, isCompared: false };
    return (await hashOf(path, stats)) === file.sha256 ? { path, isCompared: true } : undefined;
  } catch {
    return undefined;
  }
}

const hashes = new Map<string, string>();
const mostHashes = 10_000;
/** A file that was written this recently may be written again within one tick of its clock, in ms. */
const settledMs = 2_000;

async function hashOf(path: string, { dev, ino, size, mtimeNs, ctimeNs, ctimeMs }: BigIntStats): Promise<string> {
  const identity = [dev, ino, size, mtimeNs, ctimeNs].join();
  const known = hashes.get(identity);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
  }
  const sha256 = hash.digest('hex');
  if (hashes.size >= mostHashes) hashes.clear();
  if (Date.now() - Number(ctimeMs) > settledMs) hashes.set(identity, sha256);
  return sha256;
}

/** The path without links of something that a client may name: inside a root, with no denied name below it. */
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
 * @throws {SandboxError} `invalid_request`. Its words are the same for everything that is refused, so that nobody can
 * learn
 *   whether a path outside of the roots exists
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
    `${what} names no ${isFolder ? 'folder' : 'file'} that this server gives: it is missing, lies outside the folders ` +
      'that the server allows (--allow-root), or has a name that no script may read.',
  );
}

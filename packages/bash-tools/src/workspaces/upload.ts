import { chmod, copyFile, lstat, mkdir, readdir, readlink, realpath, symlink } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { compileDenyGlob, isInside, isSecret, matchesAny, type DenyGlob } from '@mustard-sandbox/paths';
import { throwIfAborted } from '@mustard-sandbox/protocol';
import { formatBytes } from '@mustard-sandbox/agent-tool';
import { BashError } from '../errors.ts';
import type { BashLimits } from '../limits.ts';
import type { Seeded, UploadSeed } from './seed.ts';

/** Names of generated files that are never copied: anywhere, and right below the folder. */
const never = new Set(['.git', 'node_modules', '.next']);
const neverAtTheTop = new Set(['data', 'test-results']);

/**
 * These are added to the names that no script reads, because commands work on the copy, and nobody checks what they
 * read.
 */
const furtherSecrets = ['secrets', '.env*'].map(compileDenyGlob);

interface UploadOptions {
  seed: UploadSeed;
  /** The folder of the new workspace. */
  target: string;
  limits: Pick<BashLimits, 'workspaceBytes' | 'workspaceFiles'>;
  /** The files that git tracks in the folder, with `/`; `undefined` when it is not a repository. */
  tracked: readonly string[] | undefined;
  signal: AbortSignal | undefined;
}

/**
 * Copies a folder into a workspace, without secrets, generated files and links that lead out.
 *
 * @throws {BashError} `seed_failed`
 * @throws {SandboxError} `invalid_request` for an invalid pattern, `cancelled`
 */
export async function upload({ seed, target, limits, tracked, signal }: UploadOptions): Promise<Seeded> {
  const source = await realFolder(seed.path);
  const include = seed.include?.map(compileDenyGlob);
  const exclude = seed.exclude.map(compileDenyGlob);
  const wanted = include === undefined && tracked !== undefined ? tracked : await allFiles(source, '', signal);
  const seeded: Seeded = { files: 0, bytes: 0, leftOut: { secrets: 0, links: 0, others: 0 } };
  for (const path of wanted) {
    throwIfAborted(signal, 'The workspace was not filled: cancelled.');
    if (isUnwanted(path, include, exclude)) continue;
    if (isLeftOut(path.split('/'))) seeded.leftOut.secrets++;
    else await copyOne(source, target, path, seeded);
    if (seeded.bytes <= limits.workspaceBytes && seeded.files <= limits.workspaceFiles) continue;
    const most = `${formatBytes(limits.workspaceBytes)} (workspaceBytes) or ${limits.workspaceFiles} files (workspaceFiles)`;
    throw failed(`${seed.path} has more than ${most} to copy. Leave something out.`);
  }
  return seeded;
}

function isUnwanted(path: string, include: readonly DenyGlob[] | undefined, exclude: readonly DenyGlob[]): boolean {
  const segments = path.split('/');
  if (isNever(segments)) return true;
  return (include !== undefined && !matchesAny(include, segments)) || matchesAny(exclude, segments);
}

function isNever(segments: readonly string[]): boolean {
  return segments.some((name) => never.has(name)) || (segments.length > 1 && neverAtTheTop.has(segments[0] as string));
}

function isLeftOut(segments: readonly string[]): boolean {
  return isSecret(segments) || matchesAny(furtherSecrets, segments);
}

/**
 * Whether the file of a seed at this path, with `/`, is copied into a workspace. Secrets and generated files are not.
 */
export function mayBeCopied(path: string): boolean {
  const segments = path.split('/');
  return !isNever(segments) && !isLeftOut(segments);
}

async function copyOne(source: string, target: string, path: string, seeded: Seeded): Promise<void> {
  const [from, to] = [join(source, path), join(target, path)];
  const stats = await lstat(from).catch(() => undefined);
  // It is tracked, but was removed since.
  if (stats === undefined) return;
  // A link on the way would make files of another folder part of this one.
  if ((await realpath(dirname(from))) !== dirname(from)) return void seeded.leftOut.links++;
  if (stats.isSymbolicLink()) {
    const link = await readlink(from);
    const real = await realpath(from).catch(() => undefined);
    const leadsIn = real !== undefined && isInside(real, [source]) && !isAbsolute(link);
    if (!leadsIn || isLeftOut(relative(source, real).split(sep))) return void seeded.leftOut.links++;
    await mkdir(dirname(to), { recursive: true });
    await symlink(link, to);
  } else if (stats.isFile()) {
    await mkdir(dirname(to), { recursive: true });
    // The copy shares blocks with the original if the file system can do that.
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    // A copy belongs to the user of this process, and must not run as the user whom the original names.
    if ((stats.mode & 0o6000) !== 0) await chmod(to, stats.mode & 0o777);
    seeded.bytes += stats.size;
  } else return void seeded.leftOut.others++;
  seeded.files++;
}

async function allFiles(source: string, folder: string, signal: AbortSignal | undefined): Promise<string[]> {
  throwIfAborted(signal, 'The workspace was not filled: cancelled.');
  const entries = await readdir(join(source, folder), { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) return [path];
      // A folder of secrets counts as one entry, and its contents are not looked at.
      if (isNever([...path.split('/'), ''])) return [];
      return isLeftOut(path.split('/')) ? [path] : await allFiles(source, path, signal);
    }),
  );
  return found.flat();
}

/** @throws {BashError} `seed_failed` for anything but a folder */
export async function realFolder(path: string): Promise<string> {
  try {
    const real = await realpath(path);
    if ((await lstat(real)).isDirectory()) return real;
  } catch (error) {
    throw failed(`${path} cannot be reached (${(error as NodeJS.ErrnoException).code ?? 'error'}).`);
  }
  throw failed(`${path} is not a folder.`);
}

export function failed(why: string, cause?: unknown): BashError {
  return new BashError('seed_failed', `The workspace could not be filled and was removed: ${why}`, { cause });
}

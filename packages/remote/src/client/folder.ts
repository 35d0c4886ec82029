import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { SandboxError, throwIfAborted, type CancelSignal } from '@mustard-sandbox/protocol';
import type { Manifest } from '../wire/files.ts';
import { readablePaths } from './readable-paths.ts';

/** The most files of a folder. */
const mostFiles = 100_000;

/** A file of a folder that is sent. */
export interface FolderFile {
  /** The absolute path. */
  path: string;
  size: number;
  mtimeMs: number;
  /** Changes whenever the file does, as far as the system can tell. */
  identity: string;
}

/** A folder in the form in which it is sent: a manifest, and the files that it names by their hashes. */
export interface PackedFolder {
  /** The hash of the manifest. */
  sha256: string;
  content: Buffer;
  /** The key is the hash. */
  files: ReadonlyMap<string, FolderFile>;
}

/**
 * Lists what a script could read in a folder, and makes a manifest of it. Left out are links, files that a `.gitignore`
 * ignores, and files that the denylist or `deny` refuses.
 *
 * @throws {SandboxError} `limit_exceeded` for more files than one folder may have
 */
export async function packFolder(
  root: string,
  {
    deny,
    hashOf,
    signal,
  }: { deny: readonly string[]; hashOf: (file: FolderFile) => Promise<string>; signal?: CancelSignal | undefined },
): Promise<PackedFolder> {
  const found: { names: string[]; file: FolderFile }[] = [];
  await list(root, [], [], readablePaths(deny), found, signal);
  const files = new Map<string, FolderFile>();
  const listed: Manifest['files'] = [];
  for (const { names, file } of found) {
    const sha256 = await hashOf(file);
    files.set(sha256, file);
    listed.push({ path: names.join('/'), size: file.size, mtimeMs: file.mtimeMs, sha256 });
  }
  // Sorted, so that the same folder has the same hash on every file system.
  listed.sort((a, b) => (a.path < b.path ? -1 : 1));
  const content = Buffer.from(JSON.stringify({ version: 1, files: listed }));
  return { sha256: createHash('sha256').update(content).digest('hex'), content, files };
}

interface Rules {
  depth: number;
  ignores: Ignore;
}

async function list(
  folder: string,
  names: string[],
  above: readonly Rules[],
  isReadable: (segments: readonly string[]) => boolean,
  found: { names: string[]; file: FolderFile }[],
  signal: CancelSignal | undefined,
): Promise<void> {
  throwIfAborted(signal);
  const own = await readRules(join(folder, '.gitignore'), names.length);
  const rules = own === undefined ? above : [...above, own];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = [...names, entry.name];
    if (!isReadable(path) || isIgnored(path, entry.isDirectory(), rules)) continue;
    if (entry.isDirectory()) await list(join(folder, entry.name), path, rules, isReadable, found, signal);
    else if (entry.isFile()) {
      const absolute = join(folder, entry.name);
      const { dev, ino, size, mtimeMs, ctimeMs } = await lstat(absolute);
      found.push({
        names: path,
        file: { path: absolute, size, mtimeMs, identity: [dev, ino, size, mtimeMs, ctimeMs].join() },
      });
      if (found.length > mostFiles) throw tooMany();
    }
  }
}

async function readRules(file: string, depth: number): Promise<Rules | undefined> {
  // git does not follow a linked .gitignore either.
  const stats = await lstat(file).catch(() => undefined);
  if (stats === undefined || !stats.isFile()) return undefined;
  return { depth, ignores: ignore().add(await readFile(file, 'utf8')) };
}

/** Whether a path is ignored. The nearest file with a matching pattern counts. */
function isIgnored(path: readonly string[], isFolder: boolean, rules: readonly Rules[]): boolean {
  for (const { depth, ignores } of rules.toReversed()) {
    const below = path.slice(depth).join('/') + (isFolder ? '/' : '');
    const { ignored, unignored } = saidOf(below, ignores);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}

/**
 * What the patterns say about this path alone, because a deeper `.gitignore` may have taken an ignored folder back in.
 */
function saidOf(path: string, patterns: Ignore): { ignored: boolean; unignored: boolean } {
  const said = patterns.test(path);
  if (!said.ignored) return said;
  // `a/b/c` lies in `a/` and `a/b/`.
  const folders = [...path.slice(0, -1).matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1));
  if (!folders.some((folder) => patterns.test(folder).ignored)) return said;
  const taken = folders.map((folder) => `!/${folder.replaceAll(/[\\*?[]/g, '\\$&')}`);
  return ignore().add(patterns).add(taken).test(path);
}

function tooMany(): SandboxError {
  return new SandboxError(
    'limit_exceeded',
    `The folder has more than ${mostFiles} files that a script could read. Name a smaller one, or attach files.`,
    { details: { limit: 'attachment_bytes', value: mostFiles } },
  );
}

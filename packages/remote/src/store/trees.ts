import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from '@mustard-sandbox/protocol';
import { manifestSchema, type Manifest, type Missing } from '../wire/files.ts';
import { nameBytes, type BlobStore } from './blobs.ts';
import { contentMissing, diskFull, isFull, refused } from './problems.ts';

/** A manifest has at most 100,000 files, of some hundred bytes each. */
const maxManifestBytes = 64 * 1024 * 1024;
/** How many folders its files may lie in. A manifest of some megabytes could name millions. */
const maxFolders = 100_000;
const maxDepth = 128;

/**
 * The folder that a manifest describes, made of files in the store. Nothing is unpacked: a folder with many names of
 * one file takes the room of one.
 *
 * @param target the parameter, for messages
 * @throws {SandboxError} `invalid_request`: 404 with the missing files, 422 for an invalid manifest
 */
export async function folderOf(hash: string, target: string, store: BlobStore): Promise<string> {
  const key = `tree:${hash}`;
  const folder = join(store.trees, hash);
  if (store.hasTree(key)) return folder;
  const manifest = await readManifest(hash, target, store);
  const missing: Missing[] = manifest.files
    .filter(({ sha256, size }) => !store.has(sha256, size))
    .map(({ sha256 }) => ({ target: 'tree', kind: 'file', sha256 }));
  if (missing.length > 0) throw contentMissing(missing.slice(0, 10_000));
  const partial = join(store.trees, `.partial-${randomBytes(8).toString('hex')}`);
  // This comes before anything is linked, because making room may remove files that were not used for long.
  const unpin = manifest.files.map(({ sha256 }) => store.pin(sha256));
  try {
    const names = manifest.files.length + foldersOf(manifest, target).size;
    const size = manifest.files.reduce((sum, file) => sum + file.size, 0) + names * nameBytes;
    // Its files are there already, so only names are written.
    await store.makeRoom(size, names * nameBytes);
    await fill(partial, manifest, store);
    await store.takeTree(partial, key, size);
    return folder;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    // Two requests made the same folder, and the other one was first.
    if (store.hasTree(key)) return folder;
    if (isFull(error)) throw diskFull(error);
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : broken(target, 'names a file twice');
  } finally {
    for (const release of unpin) release();
  }
}

async function readManifest(hash: string, target: string, store: BlobStore): Promise<Manifest> {
  const path = store.pathOf(hash);
  const unpin = store.pin(hash);
  try {
    const content = await readFile(path, 'utf8').catch(() => undefined);
    if (content === undefined) throw contentMissing([{ target, kind: 'directory', sha256: hash }]);
    if (content.length > maxManifestBytes) throw broken(target, 'is too large');
    const manifest = parse(manifestSchema, JSON.parse(content), `the manifest of ${target}`);
    if (!manifest.files.every(({ path }) => isPlain(path))) throw broken(target, 'has a path that leads elsewhere');
    return manifest;
  } catch (error) {
    throw error instanceof SyntaxError ? broken(target, 'is not JSON') : error;
  } finally {
    unpin();
  }
}

/** Every folder that holds one of the files. */
function foldersOf({ files }: Manifest, target: string): Set<string> {
  const folders = new Set<string>();
  for (const { path } of files) {
    // It stops at the first folder that another file has added.
    for (let folder = dirname(path); folder !== '.' && !folders.has(folder); folder = dirname(folder)) {
      folders.add(folder);
      if (folders.size > maxFolders) throw broken(target, `has more than ${maxFolders} folders`);
    }
  }
  return folders;
}

function broken(target: string, why: string): Error {
  return refused(422, `${target}: the manifest ${why}.`);
}

/** Whether a path is relative and consists only of names. */
function isPlain(path: string): boolean {
  const names = path.split('/');
  return (
    names.length <= maxDepth &&
    names.every((name) => name !== '' && name !== '.' && name !== '..' && name.length <= 255) &&
    !/[\0\\]/.test(path)
  );
}

async function fill(folder: string, { files }: Manifest, store: BlobStore): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  const made = new Set<string>();
  for (const { path, sha256, mtimeMs } of files) {
    const parent = dirname(join(folder, path));
    if (!made.has(parent)) await mkdir(parent, { recursive: true, mode: 0o700 });
    made.add(parent);
    await store.linkTo(sha256, join(folder, path));
    await store.setTime(sha256, mtimeMs);
  }
}

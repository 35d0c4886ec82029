import { quote, type ParamsOf } from '@mustard-sandbox/protocol';
import { maxInlineBytes, type RemoteProtocol } from '../wire/protocol.ts';
import type { FileWrapper, FolderWrapper, Missing } from '../wire/files.ts';
import type { BlobStore } from './blobs.ts';
import { inPlace, realOfText, type InPlace } from './in-place.ts';
import { contentMissing, folderMissing, refused } from './problems.ts';
import { folderOf } from './trees.ts';

type RemoteScope = ParamsOf<RemoteProtocol, 'sandbox/run'>['scope'];

/** Where the files of a token may lie. */
export interface FileSources {
  store: BlobStore;
  /** Absolute paths, free of links. */
  allowedRoots: readonly string[];
}

/** A scope whose files are all at the server. None is removed until `release`. */
export interface ResolvedScope {
  root: string | undefined;
  attachments: { name: string; path: string; noLinks?: boolean }[];
  /** The files that were used in place without comparing their content, by their names in the script. */
  uncompared: string[];
  release: () => void;
}

/**
 * Finds the files of a scope: in place, in the store, or in the request.
 *
 * @throws {SandboxError} `invalid_request`: 404 with all missing files, 422 for a missing folder
 */
export async function resolveScope(
  { root, attachments = [] }: NonNullable<RemoteScope>,
  sources: FileSources,
): Promise<ResolvedScope> {
  assertInlineFits(attachments.map(({ path }) => path));
  const missing: Missing[] = [];
  const uncompared: string[] = [];
  const pins: (() => void)[] = [];
  const release = (): void => pins.splice(0).forEach((unpin) => unpin());
  try {
    const resolved: ResolvedScope['attachments'] = [];
    for (const [index, { name, path, noLinks }] of attachments.entries()) {
      const target = `scope.attachments[${index}].path`;
      if (typeof path === 'string') {
        const real = await realOfText(path, sources.allowedRoots, {
          what: `scope.attachments: ${quote(name)}`,
          noLinks,
        });
        resolved.push({ name, path: real, noLinks: true });
      } else {
        const found = await findFile(path, sources, pins);
        if (found === undefined) {
          missing.push({ target, kind: 'file', ...(path.sha256 !== undefined && { sha256: path.sha256 }) });
        } else {
          resolved.push({ name, path: found.path, noLinks: true });
          if (!found.isCompared) uncompared.push(`attachments:${name}`);
        }
      }
    }
    const folder = await folderOfRoot(root, sources, pins, uncompared);
    if (missing.length > 0) throw contentMissing(missing);
    return { root: folder, attachments: resolved, uncompared, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Whether a file or a folder is at the server, and where. */
export async function probe(
  file: FileWrapper | FolderWrapper,
  sources: FileSources,
): Promise<{ there: boolean; how: 'in_place' | 'stored' | 'missing' }> {
  if ((await inPlace(file, sources.allowedRoots)) !== undefined) return { there: true, how: 'in_place' };
  const stored =
    'folder' in file
      ? file.tree !== undefined && sources.store.hasTree(`tree:${file.tree}`)
      : file.sha256 !== undefined && sources.store.has(file.sha256, file.size);
  return stored ? { there: true, how: 'stored' } : { there: false, how: 'missing' };
}

async function findFile(file: FileWrapper, sources: FileSources, pins: (() => void)[]): Promise<InPlace | undefined> {
  const { store } = sources;
  const real = await inPlace(file, sources.allowedRoots);
  if (real !== undefined) return real;
  let hash = file.sha256 !== undefined && store.has(file.sha256, file.size) ? file.sha256 : undefined;
  if (hash === undefined && file.content !== undefined) {
    hash = await store.put(Buffer.from(file.content, 'base64'), file.size, file.sha256);
  }
  if (hash === undefined) return undefined;
  pins.push(store.pin(hash));
  await store.setTime(hash, file.mtimeMs);
  return { path: store.pathOf(hash), isCompared: true };
}

async function findFolder(
  folder: FolderWrapper,
  target: string,
  sources: FileSources,
  pins: (() => void)[],
): Promise<InPlace> {
  const real = await inPlace(folder, sources.allowedRoots);
  if (real !== undefined) return real;
  if (folder.tree === undefined) throw folderMissing(target);
  const path = await folderOf(folder.tree, target, sources.store);
  pins.push(sources.store.pin(`tree:${folder.tree}`));
  return { path, isCompared: true };
}

async function folderOfRoot(
  root: NonNullable<RemoteScope>['root'],
  sources: FileSources,
  pins: (() => void)[],
  uncompared: string[],
): Promise<string | undefined> {
  if (typeof root === 'object') {
    const { path, isCompared } = await findFolder(root, 'scope.root', sources, pins);
    if (!isCompared) uncompared.push('the root');
    return path;
  }
  return root === undefined
    ? undefined
    : await realOfText(root, sources.allowedRoots, { what: 'scope.root', isFolder: true });
}

function assertInlineFits(paths: readonly (string | FileWrapper)[]): void {
  let bytes = 0;
  for (const path of paths) {
    if (typeof path === 'string' || path.content === undefined) continue;
    bytes += Math.floor((path.content.length * 3) / 4);
  }
  if (bytes <= maxInlineBytes) return;
  throw refused(
    413,
    `${bytes} bytes of content came with the request, over the limit of ${maxInlineBytes}. Upload large files.`,
  );
}

import { lstat, stat } from 'node:fs/promises';
import { invalidRequest, quote, SandboxError, type ParamsIn } from '@mustard-sandbox/protocol';
import { fileInputs, type FileInput, type FileWrapper, type FolderWrapper } from '../wire/files.ts';
import type { PackedFolder } from './folder.ts';
import type { ServerPeer } from './link.ts';

type PlainScope = NonNullable<ParamsIn<'sandbox/run'>['scope']>;

/** A file that a run names, and what is known of it. */
export interface NamedFile {
  /** The name in messages of the server: `scope.attachments[2].path`. */
  target: string;
  name: string;
  wrapper: FileWrapper;
  noLinks: boolean;
  /** Changes whenever the file does, as far as the system can tell. */
  identity: string;
}

/** A scope whose paths are wrapped, and the files behind the wrappers. */
export interface WrappedScope {
  scope: Omit<PlainScope, 'root' | 'attachments'> & {
    root?: string | FolderWrapper;
    attachments?: { name: string; path: string | FileWrapper; noLinks?: boolean | undefined }[];
  };
  files: NamedFile[];
  folder: FolderWrapper | undefined;
  /** How many bytes of files are sent inline. */
  inlined: number;
  /** The folder that is sent, packed. */
  packed?: PackedFolder;
}

/**
 * Whether the server treats a parameter as a file. A parameter that this client does not know as a path is never sent
 * as one.
 */
function isDeclared({ facts }: ServerPeer, path: string, kind: FileInput['kind']): boolean {
  const same = (input: FileInput): boolean =>
    input.target === 'sandbox/run' && input.path === path && input.kind === kind;
  return facts.fileInputs.some(same) && fileInputs.some(same);
}

/**
 * Wraps those paths of a scope that the server has declared. Any other path stays a path on the server's own disk.
 *
 * @param knownHash the hash of a file that was read before and has not changed
 * @throws {SandboxError} `invalid_request` for a file that is not at the client
 */
export async function wrapScope(
  scope: PlainScope,
  peer: ServerPeer,
  knownHash: (identity: string) => string | undefined,
): Promise<WrappedScope> {
  const { root, attachments = [], ...rest } = scope;
  const wrapsFiles = isDeclared(peer, 'scope.attachments[*].path', 'file');
  const files = wrapsFiles
    ? await Promise.all(
        attachments.map(({ name, path, noLinks }, index) => nameFile(index, name, path, noLinks === true, knownHash)),
      )
    : [];
  const folder = root !== undefined && isDeclared(peer, 'scope.root', 'directory') ? await wrapFolder(root) : undefined;
  return {
    scope: {
      ...rest,
      ...(root !== undefined && { root: folder ?? root }),
      attachments: wrapsFiles
        ? files.map(({ name, wrapper, noLinks }) => ({ name, path: wrapper, ...(noLinks && { noLinks }) }))
        : attachments,
    },
    files,
    folder,
    inlined: 0,
  };
}

async function nameFile(
  index: number,
  name: string,
  path: string,
  noLinks: boolean,
  knownHash: (identity: string) => string | undefined,
): Promise<NamedFile> {
  const what = `scope.attachments: ${quote(name)}`;
  const stats = await (noLinks ? lstat(path) : stat(path)).catch((error: unknown) => {
    throw notThere(what, error);
  });
  if (!stats.isFile()) throw invalidRequest(`${what} is not a regular file`);
  const { dev, ino, size, mtimeMs, ctimeMs } = stats;
  const identity = [dev, ino, size, mtimeMs, ctimeMs].join();
  const sha256 = knownHash(identity);
  const wrapper = { path, size, mtimeMs, ...(sha256 !== undefined && { sha256 }) };
  return { target: `scope.attachments[${index}].path`, name, wrapper, noLinks, identity };
}

async function wrapFolder(path: string): Promise<FolderWrapper> {
  const stats = await stat(path).catch((error: unknown) => {
    throw notThere('scope.root', error);
  });
  if (!stats.isDirectory()) throw invalidRequest('scope.root is not a folder');
  return { path, mtimeMs: stats.mtimeMs, folder: true };
}

function notThere(what: string, error: unknown): SandboxError {
  const { code } = error as NodeJS.ErrnoException;
  return invalidRequest(`${what} is not there or cannot be reached (${code ?? 'error'})`);
}

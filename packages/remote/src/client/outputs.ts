import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { openFlags, systemLocator } from '@mustard-sandbox/paths';
import { quote, SandboxError, type SandboxValue } from '@mustard-sandbox/protocol';
import type { ResolvedConnectOptions } from './options.ts';
import { readablePaths } from './readable-paths.ts';

/** A result that becomes a file of the client's project. */
interface Directive {
  path: string;
  content: string;
}

/** A name for a file that no shell, terminal or file system reads in another way. */
const safeName = /^[A-Za-z0-9_][\w.-]{0,127}$/;

/** Whether a value is exactly `{ path, content }`. */
export function isDirective(value: SandboxValue): value is Directive & SandboxValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { path, content, ...rest } = value;
  return typeof path === 'string' && typeof content === 'string' && Object.keys(rest).length === 0;
}

/**
 * Writes a result into the project, completely or not at all.
 *
 * @returns the path as it was given, relative to `root`
 * @throws {SandboxError} `capability_denied` for a path that the client has not allowed, or that leads through a link
 */
export async function writeOutput(
  { path, content }: Directive,
  { root, allow }: NonNullable<ResolvedConnectOptions['outputs']>,
): Promise<string> {
  const names = path.split('/');
  const isPlain = names.every((name) => name !== '' && name !== '.' && name !== '..') && names.length <= 32;
  if (!isPlain || !readablePaths([])(names) || !safeName.test(names.at(-1) as string)) {
    throw denied(path, 'it is not a plain path below the project');
  }
  // The path decides and not what is there, so a pattern never matches through a link.
  if (!picomatch.isMatch(path, allow)) throw denied(path, `only ${allow.join(', ')} may be written`);
  const folder = await makeFolder(await realpath(root), names.slice(0, -1), path);
  const handle = await open(folder, openFlags | (constants.O_DIRECTORY ?? 0)).catch(() => {
    throw denied(path, 'its folder was replaced by a link');
  });
  try {
    if (systemLocator.locate(handle.fd, folder) !== folder) throw denied(path, 'its folder was replaced by a link');
    // The open folder is used, so nobody can put a link into the way any more.
    const target = join(systemLocator.folderPath(handle.fd, folder), names.at(-1) as string);
    const there = await lstat(target).catch(() => undefined);
    if (there !== undefined && !there.isFile()) throw denied(path, 'something other than a file is there');
    const { writeAtomically } = await import('@mustard-sandbox/agent-tool/host');
    await writeAtomically(target, content, 0o644);
  } finally {
    await handle.close();
  }
  return path;
}

/** Makes each folder on the way. A link is not followed, wherever it leads. */
async function makeFolder(root: string, names: readonly string[], path: string): Promise<string> {
  let folder = root;
  for (const name of names) {
    folder = join(folder, name);
    await mkdir(folder).catch(() => {});
    const stats = await lstat(folder).catch(() => undefined);
    if (stats?.isDirectory() !== true) throw denied(path, 'a folder on its way is a link, or cannot be made');
  }
  return folder;
}

function denied(path: string, why: string): SandboxError {
  return new SandboxError('capability_denied', `The result ${quote(path)} was not written: ${why}.`, {
    details: { path },
  });
}

import { accessSync, constants, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { ScopeOptions } from '@mustard-sandbox/client';
import { oneLine } from '@mustard-sandbox/protocol/text';
import { UsageError } from './failure.ts';

/** The flags as they were typed. */
interface ScopeFlags {
  root?: string;
  attach: string[];
}

/** A file that scripts read as `attachments:<name>`. */
export type NamedFile = NonNullable<ScopeOptions['attachments']>[number];

/**
 * The scope that `--root` and `--attach` give to a script, with absolute paths.
 *
 * @param stored the files that `--stored` adds, from `listStored`
 * @throws {UsageError} with the path as it was typed. The sidecar checks the same, but its errors name no path
 */
export function readScope({ root, attach }: ScopeFlags, stored: readonly NamedFile[] = []): ScopeOptions {
  const attachments = [...readAttachments(attach, stored), ...stored];
  return { ...(root !== undefined && { root: checkRoot(root) }), attachments };
}

/** The roots of the sandbox: everything that the script may read, and nothing else. */
export function rootsOf({ root, attachments = [] }: ScopeOptions): string[] {
  return [...(root === undefined ? [] : [root]), ...attachments.map(({ path }) => path)];
}

/** @throws {UsageError} when there is no such folder */
export function checkRoot(root: string, option = '--root'): string {
  const stats = statOf(root, option);
  if (stats === undefined) throw new UsageError(`${option}: there is no folder '${root}'.`);
  if (stats.isDirectory()) return resolve(root);
  const help = option === '--root' ? 'to read one file, use --attach FILE' : undefined;
  throw new UsageError(`${option}: '${root}' is not a folder.`, help);
}

function readAttachments(texts: string[], stored: readonly NamedFile[]): NamedFile[] {
  const paths = new Map<string, string>();
  for (const text of texts) {
    const { name, path } = splitAttachment(text);
    checkFile('--attach', path, 'to let the script read a folder, use --root DIR');
    if (/\p{Cc}/u.test(name)) {
      throw new UsageError(
        `--attach: a script cannot write the name of '${oneLine(path)}', which has control characters.`,
        'give it another name: --attach NAME=FILE',
      );
    }
    const other = paths.get(name);
    if (other !== undefined) {
      throw new UsageError(
        `--attach: '${other}' and '${path}' would both be attachments:${name}.`,
        'name one of them: --attach NAME=FILE',
      );
    }
    if (stored.some((file) => file.name === name)) {
      throw new UsageError(
        `--attach: '${path}' would be attachments:${name}, which is stored already.`,
        'give it another name: --attach NAME=FILE',
      );
    }
    paths.set(name, path);
  }
  return [...paths].map(([name, path]) => ({ name, path: resolve(path) }));
}

/** Splits `FILE` or `NAME=FILE`. A file whose own name has a `=` is taken as the file. */
function splitAttachment(text: string): { name: string; path: string } {
  const [, name, path] = /^([^=/\\]+)=(.+)$/s.exec(text) ?? [];
  if (name === undefined || path === undefined || statOf(text, '--attach') !== undefined) {
    return { name: basename(text), path: text };
  }
  return { name, path };
}

/**
 * Checks that `path` is a file that can be read.
 *
 * @param what the start of the error's message
 * @param folderHint what to do with a folder
 * @throws {UsageError}
 */
export function checkFile(what: string, path: string, folderHint: string): void {
  const stats = statOf(path, what);
  if (stats === undefined) throw new UsageError(`${what}: there is no file '${path}'.`);
  if (stats.isDirectory()) throw new UsageError(`${what}: '${path}' is a folder.`, folderHint);
  if (!stats.isFile()) throw new UsageError(`${what}: '${path}' is not a regular file.`);
  try {
    accessSync(path, constants.R_OK);
  } catch {
    throw new UsageError(`${what}: '${path}' cannot be read: its permissions do not allow it.`);
  }
}

/** Returns `undefined` when nothing is there. */
function statOf(path: string, option: string): ReturnType<typeof statSync> {
  // Without this check, an empty path would mean the working folder.
  if (path === '') throw new UsageError(`${option}: the path is empty.`);
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new UsageError(`${option}: '${path}' cannot be reached: ${(error as Error).message}.`);
  }
}

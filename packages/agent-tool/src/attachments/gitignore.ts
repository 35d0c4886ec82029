import { lstat, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { notAFile, readingError, systemCode } from './errors.ts';
import { writeAtomically, type MediaFolder } from './folder.ts';

/** What `ensureGitignored` found or did. */
export interface GitignoreResult {
  /**
   * - `added`: the media folder is now in `file`
   * - `present`: a `.gitignore` ignores it already; nothing was written
   * - `no_git`: the app is not in a git work tree
   */
  status: 'added' | 'present' | 'no_git';
  /** Absolute path of the `.gitignore` that was written or found. */
  file?: string;
}

/** @see AttachmentStore.ensureGitignored */
export async function ensureGitignored(folder: MediaFolder): Promise<GitignoreResult> {
  const workTree = await findWorkTree(folder.app);
  if (workTree === undefined) return { status: 'no_git' };
  for (const parent of foldersBetween(workTree, folder.app)) {
    const file = join(parent, '.gitignore');
    const path = relative(parent, folder.path).split(sep);
    const ignored = ignores(path, (await readIfThere(file))?.toString() ?? '');
    if (ignored === true) return { status: 'present', file };
    // A nearer `.gitignore` overrides one above it.
    if (ignored === false) break;
  }
  const file = join(folder.app, '.gitignore');
  const path = relative(folder.app, folder.path).split(sep);
  const line = `/${folder.relativePath.replaceAll(/[\\*?[]/g, '\\$&')}/`;
  return { status: (await append(file, line, path)) ? 'added' : 'present', file };
}

async function findWorkTree(start: string): Promise<string | undefined> {
  for (let folder = start; ; folder = dirname(folder)) {
    if (await isWorkTree(folder)) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

async function isWorkTree(folder: string): Promise<boolean> {
  const git = join(folder, '.git');
  try {
    // In a linked work tree or a submodule, `.git` is a file. For git, a folder without a HEAD is no repository.
    return (await stat(git)).isFile() || (await lstat(join(git, 'HEAD'))) !== undefined;
  } catch {
    return false;
  }
}

function foldersBetween(from: string, to: string): string[] {
  const folders = [to];
  for (let folder = to; folder !== from; folder = dirname(folder)) folders.push(dirname(folder));
  return folders;
}

/**
 * Whether the lines make git ignore the folder at `path`, by its name or the name of a folder above it, in the forms
 * that people write: `.dyad`, `/.dyad/media/`, `.dyad/**`. `undefined` when they do not mention it. The last matching
 * line counts, and `!.dyad/media` takes the folder back. Patterns that are more than a name are not understood; the
 * line that is then added repeats what they say.
 */
function ignores(path: readonly string[], content: string): boolean | undefined {
  const ways = new Set(path.map((_, index) => path.slice(0, index + 1).join('/')));
  // A pattern without a slash inside applies at every depth.
  const names = new Set(path);
  const last = content.split(/\r?\n/).findLast((line) => {
    const pattern = line
      .replace(/[ \t]+$/, '')
      .replace(/^!/, '')
      .replace(/\/\*{0,2}$/, '')
      .replace(/\\(.)/g, '$1');
    if (!pattern.includes('/')) return names.has(pattern);
    return ways.has(pattern.replace(/^\//, '')) || (pattern.startsWith('**/') && names.has(pattern.slice(3)));
  });
  return last === undefined ? undefined : !last.startsWith('!');
}

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    const stats = await lstat(file);
    // git follows no linked .gitignore either; writing through one could change any file of the user's.
    if (!stats.isFile()) throw notAFile(file, stats.isSymbolicLink() ? 'a link' : 'a folder or device');
    return await readFile(file);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw readingError(error, file);
  }
}

/**
 * Works on bytes, so the rest of the file stays unchanged in any encoding.
 *
 * @returns `false` when the file ignores `path` by now, because another call was faster
 */
async function append(file: string, line: string, path: readonly string[]): Promise<boolean> {
  const old = await readIfThere(file);
  if (ignores(path, old?.toString() ?? '') === true) return false;
  const mode = old === undefined ? 0o644 : (await lstat(file)).mode & 0o777;
  const content = old ?? Buffer.alloc(0);
  const text = content.toString('latin1');
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' || text.endsWith('\n') ? '' : newline;
  await writeAtomically(file, Buffer.concat([content, Buffer.from(`${gap}${line}${newline}`)]), mode);
  return true;
}

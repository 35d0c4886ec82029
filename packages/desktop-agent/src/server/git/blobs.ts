// Turns the contents of files into objects.
import { FolderFiles } from '@mustard-sandbox/paths';
import ignore from 'ignore';
import { AgentError } from '../../shared/contract/index.ts';
import { beginningOf, takeBounded } from '../context/gitignore.ts';
import { setting } from './author.ts';
import type { Repository } from './repository.ts';

const probedBytes = 8000;

/** The bytes that git would store for a file. With `core.autocrlf`, the lines of a text end without `\r`. */
export async function blobOf(repository: Repository, bytes: Buffer): Promise<Buffer> {
  if (!bytes.includes('\r\n') || bytes.subarray(0, probedBytes).includes(0)) return bytes;
  const autocrlf = (await setting(repository, 'core.autocrlf'))?.toLowerCase();
  if (autocrlf !== 'true' && autocrlf !== 'input') return bytes;
  return Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
}

/**
 * Refuses a file that git stores through a program, such as LFS. The program is not run here, so the wrong content would be
 * committed.
 *
 * @throws {AgentError} `denied`
 */
export function refuseFilter(repository: Repository, path: string): void {
  if (!isFiltered(repository, path)) return;
  throw new AgentError('denied', `${path} is kept by a filter of git, such as LFS. Commit it with git itself.`);
}

/** Whether `.gitattributes` names a filter for a file. git then commits what that program makes of it. */
export function isFiltered({ root, prefix }: Repository, path: string): boolean {
  const whole = prefix + path;
  const folders = whole.split('/').slice(0, -1);
  for (let count = 0; count <= folders.length; count++) {
    const base = folders
      .slice(0, count)
      .map((folder) => `${folder}/`)
      .join('');
    const patterns = filteredPatterns(root, `${base}.gitattributes`);
    if (patterns.length > 0 && ignore().add(patterns).ignores(whole.slice(base.length))) return true;
  }
  return false;
}

function filteredPatterns(root: string, attributes: string): string[] {
  try {
    const { bytes } = new FolderFiles(root, { refuseLinks: true }).read(attributes, 1024 * 1024, 'git');
    const lines = bytes.toString('utf8').split(/\r?\n/);
    const all = lines.flatMap((line) => (/\sfilter=/.test(line) ? [line.trim().split(/\s+/)[0] as string] : []));
    const { patterns, dropped } = takeBounded(all);
    // Refusing too many files is better than too few: a file that is missed would be committed without its filter, unnoticed.
    return [...patterns, ...dropped.map(beginningOf)];
  } catch {
    return [];
  }
}

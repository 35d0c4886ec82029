import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, parse } from 'node:path';
import { AgentError } from '../../shared/contract/index.ts';
import { placeOf } from '../git/place.ts';

const maxFolders = 2000;

/** The root of the repository of a folder; `null` when there is none that we can work with. */
export async function gitRootOf(path: string): Promise<string | null> {
  try {
    const place = await placeOf(await realpath(path));
    return place !== null && (await lstat(join(place.root, '.git'))).isDirectory() ? place.root : null;
  } catch {
    return null;
  }
}

/**
 * The folder that a person named, absolute and without links.
 *
 * @throws {AgentError} `invalid_request` for a path that is not a folder, or that is `/` or the home folder
 */
export async function resolveAppFolder(path: string): Promise<string> {
  const real = await resolveFolder(path);
  if (real === parse(real).root) {
    throw new AgentError('invalid_request', `${real} is the whole disk. Choose the folder of one project.`);
  }
  if (real === (await realpath(homedir()).catch(homedir))) {
    throw new AgentError('invalid_request', `${real} is your home folder. Choose the folder of one project in it.`);
  }
  return real;
}

/** The folders in a folder from which a person can choose, without hidden ones. */
export async function listFolders(path: string): Promise<{ path: string; parent: string | null; folders: string[] }> {
  const real = await resolveFolder(path === '' ? homedir() : path);
  const entries = await readdir(real, { withFileTypes: true }).catch(() => {
    throw new AgentError('denied', `${real} cannot be read.`);
  });
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  const names = folders.map(({ name }) => name).sort((a, b) => a.localeCompare(b));
  const parent = dirname(real);
  return { path: real, parent: parent === real ? null : parent, folders: names.slice(0, maxFolders) };
}

/** The first name of an app. */
export function nameOfFolder(path: string): string {
  return basename(path) || path;
}

/** The absolute path of a folder, without links. @throws {AgentError} `invalid_request`, `not_found` */
export async function resolveFolder(path: string): Promise<string> {
  if (!isAbsolute(path) || path.includes('\0')) {
    throw new AgentError('invalid_request', `${JSON.stringify(path)} is not an absolute path of a folder.`);
  }
  const real = await realpath(path).catch(() => {
    throw new AgentError('not_found', `There is no folder ${path}.`);
  });
  if (!(await stat(real)).isDirectory()) throw new AgentError('invalid_request', `${path} is a file, not a folder.`);
  return real;
}

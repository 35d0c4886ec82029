import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentError } from '../../shared/contract/index.ts';
import type { Effect } from './plan.ts';

/**
 * Refuses names that differ from others only in case, or in how an accent is encoded. On the disks of macOS and Windows they
 * are one file, and one of the two would be lost.
 *
 * @throws {AgentError} `unsafe_path`
 */
export async function refuseTwins(app: string, effects: readonly Effect[]): Promise<void> {
  const gone = new Set(effects.flatMap(({ kind, path }) => (kind === 'delete' ? [path] : [])));
  const names = new Map<string, string>();
  const folders = new Map<string, Map<string, string[]>>();
  for (const { kind, path } of effects) {
    if (kind === 'delete') continue;
    const segments = path.split('/');
    for (let count = 1; count <= segments.length; count++) {
      const place = segments.slice(0, count).join('/');
      const folder = segments.slice(0, count - 1).join('/');
      const listed = folders.get(folder) ?? (await listFolder(app, folder));
      folders.set(folder, listed);
      const others = listed.get(fold(place)) ?? [];
      const twin = names.get(fold(place)) ?? others.find((other) => other !== place && !gone.has(other));
      if (twin !== undefined && twin !== place) {
        throw new AgentError(
          'unsafe_path',
          `${place} and ${twin} are one name on some disks. Use the name that is there.`,
        );
      }
      names.set(fold(place), place);
    }
  }
}

/** The paths in a folder, by the name that such a disk compares. */
async function listFolder(app: string, folder: string): Promise<Map<string, string[]>> {
  const paths = new Map<string, string[]>();
  for (const name of await readdir(join(app, folder)).catch(() => [])) {
    const path = folder === '' ? name : `${folder}/${name}`;
    paths.set(fold(path), [...(paths.get(fold(path)) ?? []), path]);
  }
  return paths;
}

function fold(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { placeAround } from '../git/place.ts';

/** Whether a change was interrupted, so that `recover` is needed. It loads no git, because each start asks it for each app. */
export function wasInterrupted(appPath: string): boolean {
  const git = join(rootOf(appPath), '.git');
  const has = (path: string): boolean => lstatSync(join(git, path), { throwIfNoEntry: false }) !== undefined;
  return has('mustard-agent/apply') || has('mustard-agent/install') || (has('mustard-agent/tmp') && has('index.lock'));
}

function rootOf(appPath: string): string {
  try {
    return placeAround(realpathSync.native(appPath))?.root ?? appPath;
  } catch {
    return appPath;
  }
}

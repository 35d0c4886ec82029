import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plan } from '../../../changes/index.ts';

/** Whether the files of an app are as a plan wants them. */
export function isDone(appPath: string, { effects }: Plan): boolean {
  return effects.every((effect) => {
    const path = join(appPath, effect.path);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (effect.kind === 'delete') return stats === undefined;
    if (stats?.isFile() !== true) return false;
    // A file that only moved is there when its old place is empty.
    if (effect.kind === 'move') return lstatSync(join(appPath, effect.from), { throwIfNoEntry: false }) === undefined;
    return readFileSync(path, 'utf8') === effect.content;
  });
}

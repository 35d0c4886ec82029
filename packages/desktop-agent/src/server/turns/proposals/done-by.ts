import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plan } from '../../changes/index.ts';
import { loadChanges } from '../../lazy.ts';
import { inWorker } from '../../worker/index.ts';

/**
 * The commit of an applied plan, or `null` when it needs none. It is `undefined` when nothing shows that it was applied. The
 * files alone do not show it: HEAD may be the person's own commit, and "undo the last turn" would take that back. Only if git
 * ignores all of them, there is no commit to mistake. The files do not show either whether packages were installed.
 */
export async function doneBy(appPath: string, plan: Plan): Promise<string | null | undefined> {
  if (plan.effects.length === 0 || plan.dependencies.length > 0 || !isDone(appPath, plan)) return undefined;
  const { commitMessageOf } = await loadChanges();
  const paths = plan.effects.flatMap((effect) => (effect.kind === 'move' ? [effect.path, effect.from] : [effect.path]));
  if (await inWorker('ignoresAll', [appPath, paths])) return null;
  const [head] = (await inWorker('listVersions', [appPath, { limit: 1 }])).versions;
  return head?.message === commitMessageOf(plan).trim() ? head.commit : undefined;
}

/** Whether the files of an app are as after the plan. */
function isDone(appPath: string, { effects }: Plan): boolean {
  return effects.every((effect) => {
    const path = join(appPath, effect.path);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (effect.kind === 'delete') return stats === undefined;
    if (stats?.isFile() !== true) return false;
    // A file that only moves has been moved when its old place is empty.
    if (effect.kind === 'move') return lstatSync(join(appPath, effect.from), { throwIfNoEntry: false }) === undefined;
    return readFileSync(path, 'utf8') === effect.content;
  });
}

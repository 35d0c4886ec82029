import { wasInterrupted } from '../changes/interrupted.ts';
import { loadChanges } from '../lazy.ts';
import type { Services } from '../services.ts';

/** Ends what a crash has cut in the apps: the tree of each is old or new. Most have nothing to end. */
export async function recoverApps({ apps, notices, log }: Pick<Services, 'apps' | 'notices' | 'log'>): Promise<void> {
  for (const app of await apps.list()) {
    if (!wasInterrupted(app.path)) continue;
    const { recover } = await loadChanges();
    try {
      notices.tell(app, (await recover(app.path)).notes);
    } catch (error) {
      // Who writes to it later tries again.
      const { name, code } = error as Error & { code?: unknown };
      log.error({ name, code }, 'a change that was cut could not be ended');
    }
  }
}

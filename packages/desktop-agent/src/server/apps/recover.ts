import { wasInterrupted } from '../changes/interrupted.ts';
import { loadChanges } from '../lazy.ts';
import type { Services } from '../services.ts';

/** Finishes or takes back changes that a crash has interrupted. Then the files of each app are all old or all new. */
export async function recoverApps({ apps, notices, log }: Pick<Services, 'apps' | 'notices' | 'log'>): Promise<void> {
  for (const app of await apps.list()) {
    if (!wasInterrupted(app.path)) continue;
    const { recover } = await loadChanges();
    try {
      notices.tell(app, (await recover(app.path)).notes);
    } catch (error) {
      // The next change of this app tries again.
      const { name, code } = error as Error & { code?: unknown };
      log.error({ name, code }, 'an interrupted change could not be recovered');
    }
  }
}

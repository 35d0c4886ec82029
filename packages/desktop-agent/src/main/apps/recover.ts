import { wasInterrupted } from '../../changes/interrupted.ts';
import { loadChanges } from '../lazy.ts';
import type { Services } from '../services.ts';

/** Ends what a crash has cut in the apps: the tree of each is old or new. Most have nothing to end. */
export async function recoverApps({ apps, log }: Pick<Services, 'apps' | 'log'>): Promise<void> {
  for (const { path } of await apps.list()) {
    if (!wasInterrupted(path)) continue;
    const { recover } = await loadChanges();
    // Who writes to it later tries again.
    await recover(path).catch(({ name, code }: Error & { code?: unknown }) => {
      log.error({ name, code }, 'a change that was cut could not be ended');
    });
  }
}

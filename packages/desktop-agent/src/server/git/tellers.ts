// What pages are told of changes of a repository.
import type { WriteOptions } from '../changes/writing.ts';
import type { App, Joined } from '../../shared/contract/index.ts';
import { loadGit } from '../lazy.ts';
import type { Services } from '../services.ts';

export type Tellers = ReturnType<typeof tellers>;

export function tellers({ apps, versions, broadcast, notices }: Services) {
  /** Of a package, the other packages of its repository have changed, too. */
  const changed = async (app: App): Promise<void> => {
    const root = app.repository ?? app.path;
    for (const other of await apps.list()) {
      if ((other.repository ?? other.path) === root) broadcast('app:files-changed', { appId: other.id });
    }
  };
  return {
    changed,
    before: (app: App): WriteOptions => ({ onBefore: (before) => notices.tellBefore(app, before) }),
    joined: async (app: App, joined: Joined): Promise<Joined> => {
      if (joined.outcome !== 'joined') return joined;
      await (await loadGit()).rememberJoin(app.path, joined);
      if (joined.merged) await versions.add(app.id, joined.commit, null);
      await changed(app);
      return joined;
    },
  };
}

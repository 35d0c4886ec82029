import type { Handlers } from '../../shared/contract/index.ts';
import { fileNames } from '../context/index.ts';
import { loadChanges } from '../lazy.ts';
import type { Services } from '../services.ts';

export function fileHandlers({
  apps,
  versions,
  broadcast,
  notices,
}: Services): Pick<Handlers, 'list-app-files' | 'read-app-file' | 'edit-app-file' | 'change-app-file'> {
  return {
    'list-app-files': async ({ appId }, { signal }) => await fileNames((await apps.get(appId)).path, signal),
    'read-app-file': async ({ appId, path }) => {
      const { readFile } = await loadChanges();
      return await readFile((await apps.get(appId)).path, path);
    },
    'edit-app-file': async ({ appId, path, content, hash }) => {
      const { editFile } = await loadChanges();
      const app = await apps.get(appId);
      const saved = await editFile(app.path, path, content, hash, {
        onBefore: (before) => notices.tellBefore(app, before),
      });
      if (saved.commit !== null) await versions.add(app.id, saved.commit, null);
      broadcast('app:files-changed', { appId });
      return saved;
    },
    'change-app-file': async ({ appId, change }, { signal }) => {
      const { changeFile } = await loadChanges();
      const app = await apps.get(appId);
      const { commit, personCommit, notes } = await changeFile(app.path, change, { signal });
      for (const made of [personCommit, commit]) if (made !== null) await versions.add(app.id, made, null);
      notices.tell(app, notes);
      broadcast('app:files-changed', { appId });
      return { commit };
    },
  };
}

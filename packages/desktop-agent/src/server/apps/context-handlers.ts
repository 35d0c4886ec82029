import type { Handlers } from '../../shared/contract/index.ts';
import { describeContext, instructionsOf } from '../context/index.ts';
import { findProblems } from '../checks/find-problems.ts';
import type { Services } from '../services.ts';

type Names = 'list-skills' | 'get-context' | 'set-context' | 'check-problems';

export function contextHandlers({ apps, broadcast }: Services): Pick<Handlers, Names> {
  return {
    'list-skills': async ({ appId }, { signal }) => (await instructionsOf((await apps.get(appId)).path, signal)).skills,
    'get-context': async ({ appId }, { signal }) => {
      const app = await apps.get(appId);
      return await describeContext(app.path, app.context, { signal });
    },
    'set-context': async ({ appId, context: globs }, { signal }) => {
      const app = await apps.setContext(appId, globs);
      broadcast('app:changed', { app });
      return await describeContext(app.path, app.context, { signal });
    },
    'check-problems': async ({ appId, allowUnjailed }, { signal }) => {
      const { path } = await apps.get(appId);
      if (allowUnjailed !== undefined) await apps.allowUnjailed(appId, allowUnjailed);
      return await findProblems(path, { allowUnjailed: await apps.allowsUnjailed(appId), signal });
    },
  };
}

import { AgentError, type Handlers } from '../../shared/contract/index.ts';
import type { Services } from '../services.ts';
import { inWorker } from '../worker/index.ts';
import { searchChats } from './search-chats.ts';

/** After this time, in ms, the search answers with what it has found. */
const stopAfterMs = 5_000;
/** After this time, in ms, the thread is ended, because one line can keep a pattern busy for years. */
const hardStopMs = 15_000;

export function searchHandlers({
  apps,
  database,
}: Pick<Services, 'apps' | 'database'>): Pick<Handlers, 'search-files' | 'search-chats' | 'cancel-search'> {
  const running = new Map<string, AbortController>();
  const cancellable = async <T>(
    searchId: string,
    gone: AbortSignal,
    search: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    if (running.has(searchId)) throw new AgentError('invalid_request', `The search ${searchId} is already running.`);
    const controller = new AbortController();
    running.set(searchId, controller);
    try {
      return await search(AbortSignal.any([gone, controller.signal]));
    } finally {
      running.delete(searchId);
    }
  };
  return {
    'search-files': async ({ searchId, appId, ...query }, { signal }) => {
      const { path } = await apps.get(appId);
      return await cancellable(searchId, signal, async (ended) => {
        return await inWorker('searchFiles', [path, { ...query, stopAfterMs }], {
          timeoutMs: hardStopMs,
          signal: ended,
          endsOnAbort: true,
          tooLong,
        });
      });
    },
    'search-chats': async ({ searchId, appId, ...query }, { signal }) => {
      await apps.get(appId);
      return await cancellable(searchId, signal, async (ended) => {
        return await searchChats(database, { appId, ...query, stopAfterMs }, ended);
      });
    },
    'cancel-search': async ({ searchId }) => {
      running.get(searchId)?.abort(new AgentError('cancelled', 'The search was ended.'));
      return {};
    },
  };
}

function tooLong(ms: number): AgentError {
  const what = `The search was ended after ${ms / 1000} s.`;
  return new AgentError(
    'limit_exceeded',
    `${what} A pattern with nested repetitions can take forever. Write a simpler one.`,
  );
}

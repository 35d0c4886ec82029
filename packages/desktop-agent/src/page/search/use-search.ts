import { useEffect, useState } from 'react';
import type { Result } from '../../shared/contract/index.ts';
import type { Problem } from '../state/agent-state.ts';
import { problemOf } from '../state/problem.ts';
import { useAgent } from '../state/use-agent.ts';

export interface Wanted {
  text: string;
  matchCase: boolean;
  pattern: boolean;
}

interface Found {
  files?: Result<'search-files'>;
  chats?: Result<'search-chats'>;
  problem?: Problem;
  isSearching: boolean;
}

/** How long after the last key the search begins, in ms. */
const pauseMs = 200;
let searches = 0;

/** Searches for a text while it is typed, one search at a time. Results stay until the next answer. */
export function useSearch(appId: string | undefined, { text, matchCase, pattern }: Wanted): Found {
  const agent = useAgent();
  const [found, setFound] = useState<Found>({ isSearching: false });
  useEffect(() => {
    if (appId === undefined || text === '') {
      setFound({ isSearching: false });
      return undefined;
    }
    let isOver = false;
    const ids = ['files', 'chats'].map((what) => `${what}-${++searches}-${Math.random().toString(36).slice(2)}`);
    const [filesId = '', chatsId = ''] = ids;
    const search = async (): Promise<void> => {
      const query = { appId, text, matchCase };
      try {
        const [files, chats] = await Promise.all([
          agent.call('search-files', { ...query, searchId: filesId, pattern }),
          agent.call('search-chats', { ...query, searchId: chatsId }),
        ]);
        if (!isOver) setFound({ files, chats, isSearching: false });
      } catch (error) {
        if (!isOver) setFound({ problem: problemOf(error), isSearching: false });
      }
    };
    setFound(({ files, chats }) => ({ ...(files && { files }), ...(chats && { chats }), isSearching: true }));
    const timer = setTimeout(() => void search(), pauseMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
      // A search that has ended or not begun cannot be cancelled, so the error is ignored.
      for (const searchId of ids) void agent.call('cancel-search', { searchId }).catch(() => {});
    };
  }, [agent, appId, text, matchCase, pattern]);
  return found;
}

import { useEffect, useRef, type RefObject } from 'react';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { edits } from './edits.ts';

/** Looks at the file again when the server says that files changed: an untouched one is loaded anew, else the person is told. */
export function useDiskCheck(
  appId: string,
  path: string,
  saved: RefObject<{ hash: string }>,
  onConflict: () => void,
  onReload: () => void,
): void {
  const agent = useAgent();
  const filesVersion = useAgentState((state) => state.filesVersion);
  const first = useRef(filesVersion);
  const latest = useRef({ onConflict, onReload });
  latest.current = { onConflict, onReload };
  useEffect(() => {
    if (filesVersion === first.current) return undefined;
    let isOver = false;
    const check = async (): Promise<void> => {
      const { hash } = await agent.call('read-app-file', { appId, path });
      if (isOver || hash === saved.current.hash) return;
      if (edits.get(appId, path) === undefined) latest.current.onReload();
      else latest.current.onConflict();
    };
    // Gone or unreadable: saving will say so.
    check().catch(() => {});
    return () => {
      isOver = true;
    };
  }, [agent, appId, path, saved, filesVersion]);
}

import { useEffect, useRef, type RefObject } from 'react';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { edits } from './edits.ts';

/** Reads the file again when files changed. If nobody has edited it here, it is reloaded. Otherwise the person is told. */
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
    // The file is gone or unreadable. Saving will report that.
    check().catch(() => {});
    return () => {
      isOver = true;
    };
  }, [agent, appId, path, saved, filesVersion]);
}

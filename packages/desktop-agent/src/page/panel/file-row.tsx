import { oneLine } from '@mustard-sandbox/cards';
import { useState, useSyncExternalStore, type ReactElement } from 'react';
import { useUi } from '../app/ui.ts';
import { edits } from '../editor/edits.ts';
import { IconButton } from '../parts/controls.tsx';
import { NameInput } from '../parts/name-input.tsx';
import type { Agent } from '../state/page-agent.ts';
import { useAgent } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

/** One file of the list. A person can open it in the editor, rename it or delete it. */
export function FileRow({ appId, path, canChange }: { appId: string; path: string; canChange: boolean }): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const [isRenamed, setRenamed] = useState(false);
  const isUnsaved = useSyncExternalStore(edits.subscribe, () => edits.get(appId, path) !== undefined);
  const name = oneLine(path);
  /** Unsaved text belongs to the current path, so the path must not change. */
  const unlessUnsaved = (work: () => void): void => {
    if (isUnsaved) agent.toast({ kind: 'warning', text: texts.fileUnsaved(path) });
    else work();
  };
  const rename = async (to: string | undefined): Promise<void> => {
    setRenamed(false);
    if (to === undefined) return;
    const change = { type: 'rename' as const, from: path, to };
    if (await agent.attempt(() => agent.call('change-app-file', { appId, change })))
      agent.toast({ kind: 'info', text: texts.fileRenamed(to) });
  };
  if (isRenamed) {
    return (
      <div className="ma-file-row">
        <NameInput label={texts.filePath} value={path} onDone={(typed) => void rename(typed)} />
      </div>
    );
  }
  return (
    <div className="ma-file-row">
      <button type="button" className="ma-list-row" title={name} onClick={() => ui.openFile(path)}>
        <span className="ma-path" dir="ltr">
          <bdi>{name}</bdi>
        </span>
        {isUnsaved && <span className="ma-warning">{texts.unsaved}</span>}
      </button>
      {canChange && (
        <span className="ma-row-actions">
          <IconButton
            icon="pencil"
            label={texts.renameFile(name)}
            onClick={() => unlessUnsaved(() => setRenamed(true))}
          />
          <IconButton
            icon="trash"
            label={texts.deleteFile(name)}
            onClick={() => unlessUnsaved(() => void deleteFile(agent, appId, path))}
          />
        </span>
      )}
    </div>
  );
}

/** Deletes a file. The commit can be undone. For a file that git ignores, a notice says where the copy is. */
async function deleteFile(agent: Agent, appId: string, path: string): Promise<void> {
  await agent.attempt(async () => {
    const { commit } = await agent.call('change-app-file', { appId, change: { type: 'delete', path } });
    const restore = (): Promise<unknown> => agent.call('undo-version', { appId, commit: commit ?? '' });
    agent.toast({
      kind: 'info',
      text: texts.fileDeleted(path),
      ...(commit !== null && { action: { label: texts.undo, run: () => void agent.attempt(restore) } }),
    });
  });
}

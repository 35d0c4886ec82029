import { useState, type ReactElement } from 'react';
import { useUi } from '../app/ui.ts';
import { Button } from '../parts/controls.tsx';
import { NameInput } from '../parts/name-input.tsx';
import { useAgent } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

/** Makes an empty file at a typed path, and opens it. */
export function NewFile({ appId }: { appId: string }): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const [isTyping, setTyping] = useState(false);
  const create = async (path: string | undefined): Promise<void> => {
    setTyping(false);
    if (path === undefined) return;
    const isMade = await agent.attempt(() =>
      agent.call('change-app-file', { appId, change: { type: 'create', path } }),
    );
    if (isMade) ui.openFile(path);
  };
  if (isTyping) {
    return (
      <NameInput label={texts.newFilePath} value="" hint={texts.newFileHint} onDone={(typed) => void create(typed)} />
    );
  }
  return (
    <Button icon="plus" onClick={() => setTyping(true)}>
      {texts.newFile}
    </Button>
  );
}

import { oneLine } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { GitState } from '../../shared/contract/index.ts';
import { useUi } from '../app/ui.ts';
import { Button } from '../parts/controls.tsx';
import { useAgentState, useApp } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { appOf, mayBeCopied } from './of-app.ts';

/** In an app, the way into a copy; in a copy, the way back. */
export function CopyButton({ git }: { git: GitState }): ReactElement | null {
  const ui = useUi();
  const app = useApp();
  const source = appOf(
    app,
    useAgentState((state) => state.apps),
  );
  if (app !== undefined && app.copyOf !== null) {
    return (
      <Button
        icon="back"
        whyNot={source === undefined ? texts.copyNoApp : undefined}
        onClick={() => ui.set({ dialog: 'bring-in' })}
      >
        {texts.copyBring(oneLine(source?.name ?? app.name))}
      </Button>
    );
  }
  if (!mayBeCopied(app)) return null;
  return (
    <Button
      icon="copy"
      whyNot={git.commit === null ? texts.gitNoBranch : undefined}
      onClick={() => ui.set({ dialog: 'work-in-copy' })}
    >
      {texts.copyWork}
    </Button>
  );
}

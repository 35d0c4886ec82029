import type { ReactElement } from 'react';
import { useUi } from '../app/ui.ts';
import { Button } from '../parts/controls.tsx';
import { texts } from '../words/texts.ts';

/** The first thing of all: no folder was picked yet. */
export function Welcome(): ReactElement {
  const ui = useUi();
  return (
    <main className="ma-start">
      <div className="ma-welcome">
        <h1>{texts.welcome}</h1>
        <p>{texts.welcomeBody}</p>
        <div className="ma-actions">
          <Button kind="primary" icon="folder" onClick={() => ui.set({ dialog: 'folder' })}>
            {texts.pickFolder}
          </Button>
          <Button icon="plus" onClick={() => ui.set({ dialog: 'new-app' })}>
            {texts.newApp}
          </Button>
          <Button icon="gear" onClick={() => ui.openSettings('models')}>
            {texts.settings}
          </Button>
        </div>
      </div>
    </main>
  );
}

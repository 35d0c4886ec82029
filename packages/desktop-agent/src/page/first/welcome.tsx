import { Icon } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import { useUi } from '../app/ui.ts';
import { Button } from '../parts/controls.tsx';
import { texts } from '../words/texts.ts';
import { Plant } from './pictures.tsx';

const things = [
  ['search', texts.welcomeThings.ask],
  ['pencil', texts.welcomeThings.build],
  ['undo', texts.welcomeThings.undo],
] as const;

/** The first screen, while no folder has been opened. */
export function Welcome(): ReactElement {
  const ui = useUi();
  return (
    <main className="ma-start">
      <div className="ma-welcome">
        <Plant />
        <div className="ma-welcome-words">
          <h1>{texts.product}</h1>
          <p className="ma-quiet">{texts.welcome}</p>
        </div>
        <div className="ma-actions">
          <Button kind="primary" icon="folder" className="ma-large" onClick={() => ui.set({ dialog: 'folder' })}>
            {texts.pickFolder}
          </Button>
          <Button icon="plus" className="ma-large" onClick={() => ui.set({ dialog: 'new-app' })}>
            {texts.newApp}
          </Button>
          <Button icon="gear" className="ma-large ma-flat" onClick={() => ui.openSettings('models')}>
            {texts.settings}
          </Button>
        </div>
        <ul className="ma-things">
          {things.map(([icon, { title, body }]) => (
            <li key={icon}>
              <p className="ma-strong ma-with-icon">
                <Icon name={icon} />
                {title}
              </p>
              <p className="ma-quiet">{body}</p>
            </li>
          ))}
        </ul>
        <p className="ma-quiet">{texts.welcomePrivacy}</p>
      </div>
    </main>
  );
}

import { Choice } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { Settings } from '../../shared/contract/index.ts';
import { texts } from '../words/texts.ts';
import { Row, useChange } from './row.tsx';

const themes = (['system', 'light', 'dark'] as const).map((value) => ({ value, label: texts.themes[value] }));

export function LookSettings({ settings }: { settings: Settings }): ReactElement {
  const change = useChange();
  return (
    <div className="ms-settings">
      <Row label={texts.theme}>
        {() => (
          <Choice label={texts.theme} options={themes} value={settings.theme} onChange={(theme) => change({ theme })} />
        )}
      </Row>
    </div>
  );
}

import type { ReactElement } from 'react';
import type { Settings } from '../../shared/contract/index.ts';
import { texts } from '../words/texts.ts';
import { SwitchRow, useChange } from './row.tsx';

/** The settings for proposed changes. */
export function ChangesSettings({ settings }: { settings: Settings }): ReactElement {
  const change = useChange();
  return (
    <div className="ms-settings">
      <SwitchRow
        label={texts.autoApprove}
        hint={texts.autoApproveHint}
        checked={settings.autoApprove}
        onChange={(autoApprove) => change({ autoApprove })}
      />
      <SwitchRow
        label={texts.autoFix}
        hint={texts.autoFixHint}
        checked={settings.autoFix}
        onChange={(autoFix) => change({ autoFix })}
      />
    </div>
  );
}

import { Choice, QuestionDialog } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import { useUi, useUiState, type SettingsTab } from '../app/ui.ts';
import { Button, Skeleton } from '../parts/controls.tsx';
import { useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { ChangesSettings } from './changes-settings.tsx';
import { LookSettings } from './look-settings.tsx';
import { ModelSettings } from './model-settings.tsx';
import { ScriptsSettings } from './scripts-settings.tsx';
import { ToolsSettings } from './tools-settings.tsx';

const tabs: readonly SettingsTab[] = ['models', 'changes', 'scripts', 'tools', 'look'];
const options = tabs.map((value) => ({ value, label: texts.settingsTabs[value] }));

/** All settings. Each is saved as soon as it is chosen. */
export function SettingsDialog(): ReactElement {
  const ui = useUi();
  const tab = useUiState((state) => state.settingsTab);
  const settings = useAgentState((state) => state.settings);
  const version = useAgentState((state) => state.version);
  const close = (): void => ui.set({ dialog: undefined });
  const foot = (
    <div className="ms-dialog-actions">
      <span className="ma-quiet">{texts.version(version)}</span>
      <span className="ms-spacer" />
      <Button onClick={close}>{texts.close}</Button>
    </div>
  );
  return (
    <QuestionDialog title={texts.settings} onEscape={close} actions={foot}>
      <div className="ma-settings">
        <Choice
          label={texts.settings}
          options={options}
          value={tab}
          onChange={(settingsTab) => ui.set({ settingsTab })}
        />
        {settings === undefined ? (
          <Skeleton lines={4} label={texts.loading} />
        ) : (
          <>
            {tab === 'models' && <ModelSettings settings={settings} />}
            {tab === 'changes' && <ChangesSettings settings={settings} />}
            {tab === 'scripts' && <ScriptsSettings settings={settings} />}
            {tab === 'tools' && <ToolsSettings />}
            {tab === 'look' && <LookSettings settings={settings} />}
          </>
        )}
      </div>
    </QuestionDialog>
  );
}

import { Choice, ScriptSettings } from '@mustard-sandbox/cards';
import { useState, type ComponentProps, type ReactElement } from 'react';
import type { Settings } from '../../shared/contract/index.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Button } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { useAsked } from '../state/use-asked.ts';
import { texts } from '../words/texts.ts';
import { NetworkSettings } from './network-settings.tsx';
import { NumberInput } from './number-input.tsx';
import { Row, SwitchRow, useChange } from './row.tsx';

type Info = ComponentProps<typeof ScriptSettings>['info'];

const kilobyte = 1024;
const sizePolicies = (['ask', 'allow', 'truncate', 'reject'] as const).map((value) => ({
  value,
  label: texts.sizePolicies[value],
}));

/** Scripts, the files that they can read, big files in a message, and commands. */
export function ScriptsSettings({ settings }: { settings: Settings }): ReactElement {
  const agent = useAgent();
  const change = useChange();
  const info = useAgentState((state) => state.scriptSettings) as Info;
  const chatId = useAgentState(({ open }) => open?.chat.id);
  const asked = useAsked(
    async () => (chatId === undefined ? [] : agent.call('list-attachments', { chatId })),
    [agent, chatId],
  );
  const attachments = (asked.value ?? []).map(({ name, bytes, mediaType, path }) => ({
    name,
    size: bytes,
    mediaType,
    ...(path !== undefined && { path }),
  }));
  const [folder = ''] = attachments.flatMap(({ path }) => (path === undefined ? [] : [path.replace(/[^/\\]*$/, '')]));
  const remove = async (name: string): Promise<void> => {
    if (chatId === undefined) return;
    await agent.attempt(() => agent.call('remove-attachment', { chatId, name }));
    asked.again();
  };
  const openFolder = (): void => void agent.attempt(() => agent.call('open-attachments', {}));
  return (
    <div className="ms-settings">
      <ScriptSettings
        settings={settings.scripts}
        info={info}
        onChange={async (scripts) => agent.updateSettings({ scripts: { ...settings.scripts, ...scripts } })}
        mediaPath={texts.attachmentsFolder}
        {...(folder !== '' && { onOpenMedia: openFolder })}
        attachments={attachments}
        onRemoveAttachment={remove}
      />
      <Row label={texts.sizePolicy} hint={texts.sizePolicyHint}>
        {(ids) => (
          <div className="ma-actions">
            <label className="ms-number-setting">
              <NumberInput
                {...ids}
                value={settings.sizeThreshold / kilobyte}
                min={1}
                max={kilobyte * kilobyte}
                onKeep={(kilobytes) => change({ sizeThreshold: kilobytes * kilobyte })}
              />
              KB
            </label>
            <Choice
              label={texts.sizePolicy}
              options={sizePolicies}
              value={settings.sizePolicy}
              onChange={(sizePolicy) => change({ sizePolicy })}
            />
          </div>
        )}
      </Row>
      <Bash settings={settings} chatId={chatId} />
    </div>
  );
}

function Bash({ settings, chatId }: { settings: Settings; chatId: string | undefined }): ReactElement {
  const agent = useAgent();
  const change = useChange();
  const { available, reason } = useAgentState((state) => state.bash);
  const [isAsked, setAsked] = useState(false);
  const reset = async (): Promise<void> => {
    setAsked(false);
    if (chatId === undefined) return;
    if (await agent.attempt(() => agent.call('reset-workspace', { chatId }))) {
      agent.toast({ kind: 'info', text: texts.resetDone });
    }
  };
  return (
    <>
      <SwitchRow
        label={texts.bash}
        hint={available ? texts.bashHint : texts.bashUnavailable(reason)}
        checked={settings.bash && available}
        disabled={!available}
        onChange={(bash) => change({ bash })}
      />
      {settings.bash && available && (
        <NetworkSettings key={settings.network.domains.join(' ')} network={settings.network} />
      )}
      {settings.bash && available && (
        <div className="ma-notice" data-kind="warning">
          <p>{texts.bashWarning}</p>
          {chatId !== undefined && (
            <div className="ma-actions">
              <Button onClick={() => setAsked(true)}>{texts.resetWorkspace}</Button>
            </div>
          )}
        </div>
      )}
      {isAsked && (
        <Confirm
          title={texts.resetTitle}
          body={texts.resetBody}
          onSafe={() => setAsked(false)}
          answers={[{ label: texts.resetWorkspace, kind: 'danger', run: () => void reset() }]}
        />
      )}
    </>
  );
}

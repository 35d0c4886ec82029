import { oneLine } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import type { Settings } from '../../contract/index.ts';
import { Button } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { Keys } from './keys.tsx';
import { Row, useChange } from './row.tsx';

/** Which models there are, which one new chats have, and the keys. */
export function ModelSettings({ settings }: { settings: Settings }): ReactElement {
  const agent = useAgent();
  const change = useChange();
  const models = useAgentState((state) => state.models) ?? [];
  const isKnown = settings.model === null || models.some(({ id }) => id === settings.model);
  return (
    <div className="ms-settings">
      <Row label={texts.modelDefaultLabel} hint={texts.modelDefaultHint}>
        {({ labelledBy, describedBy }) => (
          <select
            className="ms-input ma-select ma-settings-model"
            aria-labelledby={labelledBy}
            aria-describedby={describedBy}
            value={settings.model ?? ''}
            onChange={(event) => change({ model: event.target.value === '' ? null : event.target.value })}
          >
            <option value="">{texts.modelNone}</option>
            {!isKnown && <option value={settings.model ?? ''}>{texts.modelGone(oneLine(settings.model ?? ''))}</option>}
            {models.map(({ id, label, provider }) => (
              <option key={id} value={id}>
                {oneLine(`${label} — ${provider}`)}
              </option>
            ))}
          </select>
        )}
      </Row>
      <div className="ms-setting">
        <p className="ms-note" role="status">
          {models.length === 0 ? texts.modelsNone : texts.modelsCount(models.length)}
        </p>
        <Button onClick={() => void agent.loadModels()}>{texts.lookAgain}</Button>
      </div>
      <BaseUrl value={settings.baseUrl} />
      <Keys />
    </div>
  );
}

/** Kept with Enter and when the field is left. */
function BaseUrl({ value }: { value: string }): ReactElement {
  const agent = useAgent();
  const [text, setText] = useState(value);
  const keep = async (): Promise<void> => {
    const baseUrl = text.trim();
    if (baseUrl === value) return;
    if (await agent.attempt(() => agent.updateSettings({ baseUrl }))) await agent.loadModels();
  };
  return (
    <Row label={texts.baseUrl} hint={texts.baseUrlHint}>
      {({ labelledBy, describedBy }) => (
        <input
          type="url"
          className="ms-input ma-settings-model"
          aria-labelledby={labelledBy}
          aria-describedby={describedBy}
          dir="ltr"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={() => void keep()}
          onKeyDown={(event) => event.key === 'Enter' && void keep()}
        />
      )}
    </Row>
  );
}

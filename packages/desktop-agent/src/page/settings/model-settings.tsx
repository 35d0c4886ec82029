import { oneLine } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import type { Settings } from '../../shared/contract/index.ts';
import { Button } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { Keys } from './keys.tsx';
import { ModelProblem } from './model-problem.tsx';
import { Row, useChange } from './row.tsx';

/** Which models there are, which one new chats have, and the keys. */
export function ModelSettings({ settings }: { settings: Settings }): ReactElement {
  const agent = useAgent();
  const change = useChange();
  const models = useAgentState((state) => state.models) ?? [];
  const isLooking = useAgentState((state) => state.isLookingForModels);
  // The tour is no model.
  const count = models.filter(({ id }) => id !== 'tour').length;
  const keep = async (change: Partial<Settings>): Promise<void> => {
    if (await agent.attempt(() => agent.updateSettings(change))) await agent.loadModels();
  };
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
          {isLooking ? texts.modelsLooking : count === 0 ? texts.modelsNone : texts.modelsCount(count)}
        </p>
        <Button onClick={() => void agent.loadModels()}>{texts.lookAgain}</Button>
      </div>
      <TextRow
        label={texts.baseUrl}
        hint={texts.baseUrlHint}
        type="url"
        value={settings.baseUrl}
        onKeep={(baseUrl) => void keep({ baseUrl })}
      />
      <ModelProblem provider="openai-compatible" />
      {settings.baseUrl.trim() !== '' && (
        <TextRow
          label={texts.serverModel}
          hint={texts.serverModelHint}
          type="text"
          value={settings.serverModel}
          onKeep={(serverModel) => void keep({ serverModel })}
        />
      )}
      <Keys />
    </div>
  );
}

/** A text that is kept with Enter and when the field is left. */
function TextRow({
  label,
  hint,
  type,
  value,
  onKeep,
}: {
  label: string;
  hint: string;
  type: 'url' | 'text';
  value: string;
  onKeep: (text: string) => void;
}): ReactElement {
  const [text, setText] = useState(value);
  const keep = (): void => {
    if (text.trim() !== value) onKeep(text.trim());
  };
  return (
    <Row label={label} hint={hint}>
      {({ labelledBy, describedBy }) => (
        <input
          type={type}
          className="ms-input ma-settings-model"
          aria-labelledby={labelledBy}
          aria-describedby={describedBy}
          dir="ltr"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={keep}
          onKeyDown={(event) => event.key === 'Enter' && keep()}
        />
      )}
    </Row>
  );
}

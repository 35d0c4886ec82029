import { oneLine } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { Settings } from '../../shared/contract/index.ts';
import { Button } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { Keys } from './keys.tsx';
import { ModelOptionsSettings } from './model-options.tsx';
import { ModelServers } from './model-servers.tsx';
import { NumberInput } from './number-input.tsx';
import { Row, useChange } from './row.tsx';

/** Which models there are, who serves them, which one new chats get, and the settings of each. */
export function ModelSettings({ settings }: { settings: Settings }): ReactElement {
  const agent = useAgent();
  const change = useChange();
  const models = useAgentState((state) => state.models) ?? [];
  const isLooking = useAgentState((state) => state.isLookingForModels);
  // The tour does not count as a model.
  const count = models.filter(({ id }) => id !== 'tour').length;
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
      <ModelServers />
      <Keys />
      <ModelOptionsSettings />
      <Row label={texts.largeRequest} hint={texts.largeRequestHint}>
        {(ids) => (
          <NumberInput
            {...ids}
            className="ma-settings-model"
            value={settings.largeRequest}
            min={0}
            max={100_000_000}
            onKeep={(largeRequest) => change({ largeRequest })}
          />
        )}
      </Row>
    </div>
  );
}

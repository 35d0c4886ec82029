import { Choice, oneLine } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import { chatMode, type ChatMode } from '../../shared/contract/index.ts';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

interface PickerProps {
  /** Works with the open chat, or with a new one. */
  withChat: (work: (chatId: string) => void | Promise<void>) => Promise<void>;
}

const options = chatMode.options.map((mode) => ({ value: mode, label: texts.modes[mode][0] }));

export function ModePicker({ withChat }: PickerProps): ReactElement {
  const agent = useAgent();
  const mode = useAgentState(({ open }) => open?.chat.mode ?? 'agent');
  const choose = (next: ChatMode): void => void withChat((chatId) => agent.updateChat(chatId, { mode: next }));
  return (
    <span className="ma-mode" title={texts.modes[mode][1]}>
      <Choice label={texts.mode} options={options} value={mode} onChange={choose} />
    </span>
  );
}

export function ModelPicker({ withChat }: PickerProps): ReactElement {
  const agent = useAgent();
  const models = useAgentState((state) => state.models) ?? [];
  const chosen = useAgentState(({ open }) => open?.chat.model ?? null);
  const usual = useAgentState(({ settings }) => settings?.model ?? null);
  const labelOf = (id: string): string =>
    oneLine(models.find((model) => model.id === id)?.label ?? texts.modelGone(id));
  const [first] = models;
  const automatic = first === undefined ? texts.modelNone : texts.modelAuto(oneLine(first.label));
  const choose = (id: string): void =>
    void withChat((chatId) => agent.updateChat(chatId, { model: id === '' ? null : id }));
  return (
    <select
      id="model"
      className="ms-input ma-select ma-model"
      aria-label={texts.model}
      title={chosen === null ? undefined : labelOf(chosen)}
      value={chosen ?? ''}
      onFocus={() => void agent.loadModels()}
      onChange={(event) => choose(event.target.value)}
    >
      <option value="">{usual === null ? automatic : texts.modelDefault(labelOf(usual))}</option>
      {chosen !== null && !models.some(({ id }) => id === chosen) && <option value={chosen}>{labelOf(chosen)}</option>}
      {models.map(({ id, label, provider }) => (
        <option key={id} value={id}>
          {oneLine(`${label} — ${provider}`)}
        </option>
      ))}
    </select>
  );
}

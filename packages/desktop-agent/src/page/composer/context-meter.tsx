import type { ReactElement } from 'react';
import type { Message, Model, Usage } from '../../shared/contract/index.ts';
import { Button } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

/** From this part on, there is not much room for the next answer. */
const fullFrom = 0.8;

/** Shows how much of the model's context window this chat fills, and what the chat has cost. */
export function ContextMeter(): ReactElement | null {
  const messages = useAgentState(({ open }) => open?.messages);
  const model = useAgentState(modelOf);
  const used = messages === undefined ? undefined : sumOf(messages);
  if (used === undefined) return null;
  const { context } = used;
  const window = model?.contextWindow ?? null;
  const words = window === null ? texts.contextUsed(context) : texts.contextOf(context, window);
  const cost = texts.chatUsage(used);
  return (
    <span className="ma-meter" title={cost}>
      {window !== null && (
        <span
          className="ma-meter-bar"
          role="meter"
          aria-label={texts.contextMeter}
          aria-valuemin={0}
          aria-valuemax={window}
          aria-valuenow={Math.min(context, window)}
          aria-valuetext={words}
          data-full={context > fullFrom * window || undefined}
        >
          <span style={{ inlineSize: `${Math.min(100, (100 * context) / window)}%` }} />
        </span>
      )}
      <span>{words}</span>
      {window !== null && context > fullFrom * window && <Compact />}
      <span className="ms-visually-hidden">{cost}</span>
    </span>
  );
}

/** The button that compacts the chat to make room. */
function Compact(): ReactElement | null {
  const agent = useAgent();
  const chat = useAgentState(({ open }) => open?.chat);
  if (chat === undefined || chat.streaming) return null;
  return (
    <Button
      className="ma-compact"
      title={texts.compactHint}
      onClick={() => void agent.attempt(() => agent.call('compact-chat', { chatId: chat.id }))}
    >
      {texts.compact}
    </Button>
  );
}

function modelOf({
  open,
  settings,
  models = [],
}: Parameters<Parameters<typeof useAgentState>[0]>[0]): Model | undefined {
  const id = open?.chat.model ?? settings?.model ?? models[0]?.id;
  return models.find((model) => model.id === id);
}

/** The usage of all answers. `context` is that of the last one. */
function sumOf(messages: readonly Message[]): Usage | undefined {
  const all = messages.flatMap(({ usage }) => (usage === null ? [] : [usage]));
  const last = all.at(-1);
  if (last === undefined) return undefined;
  const sum = (field: 'requests' | 'untold' | 'input' | 'cached' | 'output'): number =>
    all.reduce((total, usage) => total + usage[field], 0);
  const priced = all.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  return {
    ...last,
    requests: sum('requests'),
    untold: sum('untold'),
    input: sum('input'),
    cached: sum('cached'),
    output: sum('output'),
    cost: priced.length === 0 ? null : priced.reduce((total, cost) => total + cost, 0),
  };
}

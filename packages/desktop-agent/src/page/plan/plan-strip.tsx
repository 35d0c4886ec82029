import { Icon, oneLine } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import { planFollowed, type Planned } from '../../shared/work-plan.ts';
import { Button } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { StepList } from './step-list.tsx';
import { useProgress } from './use-progress.ts';

/** The followed plan, as a line above the composer that can be opened. It disappears when all steps are done. */
export function PlanStrip(): ReactElement | null {
  const followed = useAgentState(({ open }) => planFollowed(open?.messages ?? []));
  return followed === undefined ? null : <Strip key={followed.id} message={followed} />;
}

function Strip({ message }: { message: Planned }): ReactElement | null {
  const agent = useAgent();
  const { states, done } = useProgress(message);
  const isStreaming = useAgentState(({ open }) => open?.chat.streaming ?? false);
  const isReady = useAgentState(({ open }) => open?.chat.mode === 'build' || open?.chat.mode === 'agent');
  const next = states.indexOf('open');
  const isWaiting = states.includes('said') && !isStreaming;
  if (done === states.length) return null;
  const { id: messageId, chatId, workPlan } = message;
  const end = async (): Promise<void> => {
    if (await agent.attempt(() => agent.call('end-work-plan', { chatId, messageId })))
      agent.toast({ kind: 'info', text: texts.planEnded });
  };
  const goOn = (): void =>
    void agent.attempt(() => agent.call('chat:stream', { chatId, text: texts.planGoOnText, uploads: [] }));
  return (
    <section className="ma-plan-strip" aria-label={texts.planFollowed}>
      <details>
        <summary>
          <Icon name="chevron" />
          <span className="ma-strong">{texts.planFollowed}</span>
          <span className="ma-quiet ma-number">{texts.planProgress(done, states.length)}</span>
          <span className="ma-quiet ma-cut" dir="auto">
            {isWaiting || next === -1
              ? texts.planWaits
              : texts.planNext(next + 1, oneLine(workPlan.steps[next]?.text ?? ''))}
          </span>
        </summary>
        <StepList message={message} states={states} />
        <div className="ma-actions">
          <Button className="ma-flat" onClick={() => void end()}>
            {texts.planEnd}
          </Button>
        </div>
      </details>
      {!isStreaming && isReady && !isWaiting && next !== -1 && <Button onClick={goOn}>{texts.planGoOn}</Button>}
    </section>
  );
}

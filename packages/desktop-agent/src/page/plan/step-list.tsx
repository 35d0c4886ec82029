import { Icon, oneLine } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { Planned, StepState } from '../../shared/work-plan.ts';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

/** The steps of an approved plan. A person may tick them too, because models forget to. */
export function StepList({ message, states }: { message: Planned; states: readonly StepState[] }): ReactElement {
  const agent = useAgent();
  const isOffline = useAgentState(({ connected }) => connected === false);
  const { id: messageId, chatId, workPlan } = message;
  const mark = (step: number, isDone: boolean): void =>
    void agent.attempt(() => agent.call('mark-step', { chatId, messageId, step, isDone }));
  return (
    <ol className="ma-steps" aria-label={texts.planSteps}>
      {workPlan.steps.map(({ text }, index) => {
        const state = states[index] ?? 'open';
        return (
          <li key={index} className="ma-step" data-state={state}>
            <label className="ma-step-label">
              <input
                type="checkbox"
                aria-label={texts.stepMark(index + 1, oneLine(text))}
                checked={state === 'done'}
                disabled={isOffline}
                onChange={(event) => mark(index, event.target.checked)}
              />
              <span className="ma-number ma-quiet">{index + 1}.</span>
              <span className="ma-wrap" dir="auto">
                {oneLine(text)}
              </span>
            </label>
            {state === 'said' && (
              <span className="ma-quiet ma-with-icon">
                <Icon name="clock" />
                {texts.stepStates.said}
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}

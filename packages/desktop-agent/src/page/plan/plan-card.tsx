import { Icon, oneLine, type IconName } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { WorkPlan } from '../../shared/contract/index.ts';
import type { Planned } from '../../shared/work-plan.ts';
import { texts } from '../words/texts.ts';
import { PlanDecision } from './plan-decision.tsx';
import { StepList } from './step-list.tsx';
import { useProgress } from './use-progress.ts';

const icons: Record<WorkPlan['state'], IconName> = {
  pending: 'question',
  approved: 'check',
  rejected: 'hand',
  ended: 'stop',
};

/** The plan of an answer. It is open until the person decides, and then shows the progress. At the end it is one line. */
export function PlanCard({ message }: { message: Planned }): ReactElement {
  const { state, steps, more } = message.workPlan;
  const title = texts.planStates[state];
  return (
    <section className="ma-plan" data-state={state} aria-label={title}>
      {state === 'pending' ? (
        <>
          <Head state={state} />
          {more > 0 && <p className="ma-warning">{texts.planMore(more)}</p>}
          <PlanDecision key={message.id} message={message} />
        </>
      ) : state === 'approved' ? (
        <ApprovedPlan message={message} />
      ) : (
        <details>
          <summary>
            <Head state={state} />
          </summary>
          <ol className="ma-steps">
            {steps.map(({ text }, index) => (
              <li key={index} className="ma-step ma-quiet ma-wrap" dir="auto">
                {oneLine(text)}
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}

function ApprovedPlan({ message }: { message: Planned }): ReactElement {
  const { states, done } = useProgress(message);
  return (
    <>
      <Head state="approved" note={texts.planProgress(done, states.length)} />
      <StepList message={message} states={states} />
    </>
  );
}

function Head({ state, note }: { state: WorkPlan['state']; note?: string }): ReactElement {
  return (
    <span className="ma-plan-head">
      <Icon name={icons[state]} />
      <span className="ma-strong">{texts.planStates[state]}</span>
      {note !== undefined && <span className="ma-quiet ma-number">{note}</span>}
    </span>
  );
}

import { Choice } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import { maxSteps, type FollowingMode } from '../../shared/contract/index.ts';
import type { Planned } from '../../shared/work-plan.ts';
import { Button } from '../parts/controls.tsx';
import { useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { StepInput, StepRow } from './step-row.tsx';
import { usePlan } from './use-plan.ts';

const followingModes = (['build', 'agent'] as const).map((value) => ({ value, label: texts.modes[value][0] }));

/** A plan that the person can change, approve or reject. */
export function PlanDecision({ message }: { message: Planned }): ReactElement {
  const { steps, list, said, isAsked, approve, reject, move, remove, write } = usePlan(message);
  const [mode, setMode] = useState<FollowingMode>('build');
  /** The index of the edited step. The index after the last step is a new one. */
  const [edited, setEdited] = useState<number>();
  const isOffline = useAgentState(({ connected }) => connected === false);
  const isStreaming = useAgentState(({ open }) => open?.chat.streaming ?? false);
  const { offline, answering, sending } = texts.whyNotSend;
  const whyNot = isOffline ? offline : isAsked ? sending : undefined;
  const done = (index: number, text: string | undefined): void => {
    setEdited(undefined);
    if (text !== undefined) write(index, text);
  };
  return (
    <>
      <ol ref={list} className="ma-steps" aria-label={texts.planSteps}>
        {steps.map((text, index) => (
          <StepRow
            key={index}
            text={text}
            index={index}
            count={steps.length}
            isEdited={edited === index}
            onEdit={() => setEdited(index)}
            onDone={(next) => done(index, next)}
            onMove={(by) => move(index, by)}
            onRemove={() => remove(index)}
          />
        ))}
        {edited === steps.length && (
          <li className="ma-step">
            <StepInput text="" label={texts.planStepNew} onDone={(next) => done(steps.length, next)} />
          </li>
        )}
      </ol>
      <span role="status" className="ms-visually-hidden">
        {said}
      </span>
      <div className="ma-plan-foot">
        <Button
          icon="plus"
          className="ma-flat"
          whyNot={steps.length >= maxSteps ? texts.planFull(maxSteps) : undefined}
          onClick={() => setEdited(steps.length)}
        >
          {texts.planStepAdd}
        </Button>
        <span className="ma-quiet ma-plan-hint">{texts.planHint}</span>
      </div>
      <div className="ma-actions ma-plan-actions">
        <span className="ma-plan-mode">
          <span className="ma-quiet">{texts.planFollowIn}</span>
          <Choice label={texts.planFollowIn} options={followingModes} value={mode} onChange={setMode} />
        </span>
        <Button
          kind="primary"
          icon="check"
          whyNot={whyNot ?? (isStreaming ? answering : undefined)}
          onClick={() => approve(mode)}
        >
          {texts.planApprove}
        </Button>
        <Button whyNot={whyNot} onClick={reject}>
          {texts.planReject}
        </Button>
      </div>
    </>
  );
}

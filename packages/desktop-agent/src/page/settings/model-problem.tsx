import { Icon, oneLine } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import { useAgentState } from '../state/use-agent.ts';

/** Says beside a provider or a server why it gives no models. */
export function ModelProblem({ provider }: { provider: string }): ReactElement | null {
  const problem = useAgentState(({ modelProblems }) => modelProblems.find((one) => one.provider === provider));
  if (problem === undefined) return null;
  return (
    <p className="ms-problem ma-with-icon" role="status">
      <Icon name="warning" />
      {oneLine(problem.text)}
    </p>
  );
}

import { Icon, oneLine } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { ProviderName } from '../../shared/contract/index.ts';
import { useAgentState } from '../state/use-agent.ts';

/** Why a provider that the person has set gives no models, where they set it. */
export function ModelProblem({ provider }: { provider: ProviderName }): ReactElement | null {
  const problem = useAgentState(({ modelProblems }) => modelProblems.find((one) => one.provider === provider));
  if (problem === undefined) return null;
  return (
    <p className="ms-problem ma-with-icon" role="status">
      <Icon name="warning" />
      {oneLine(problem.text)}
    </p>
  );
}

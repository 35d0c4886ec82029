import { useMemo } from 'react';
import type { Message } from '../../shared/contract/index.ts';
import { progressOf, type Planned, type StepState } from '../../shared/work-plan.ts';
import { useAgentState } from '../state/use-agent.ts';

const none: readonly Message[] = [];

/** How far a plan of the open chat is, by the messages after it. */
export function useProgress(message: Planned): { states: readonly StepState[]; done: number } {
  const messages = useAgentState(({ open }) => open?.messages ?? none);
  return useMemo(() => {
    const states = progressOf(message, messages);
    return { states, done: states.filter((state) => state === 'done').length };
  }, [message, messages]);
}

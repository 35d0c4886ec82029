import { createContext, useContext } from 'react';
import type { App } from '../../shared/contract/index.ts';
import type { AgentState } from './agent-state.ts';
import type { Agent } from './page-agent.ts';
import { useStore } from './store.ts';

const AgentContext = createContext<Agent | undefined>(undefined);
export const AgentProvider = AgentContext.Provider;

export function useAgent(): Agent {
  const agent = useContext(AgentContext);
  if (agent === undefined) throw new Error('No AgentProvider around.');
  return agent;
}

/** A part of the state. The component renders again when it changes. */
export function useAgentState<Part>(select: (state: AgentState) => Part): Part {
  return useStore(useAgent().store, select);
}

/** The open app. */
export function useApp(): App | undefined {
  return useAgentState(({ apps, appId }) => apps.find(({ id }) => id === appId));
}

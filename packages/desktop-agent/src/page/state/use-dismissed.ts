import type { Agent } from './page-agent.ts';
import { useAgent, useAgentState } from './use-agent.ts';

/** Whether a tip was closed, which the server remembers, and a function that closes it. */
export function useDismissed(name: string): [isGone: boolean, dismiss: () => void] {
  const agent = useAgent();
  const dismissed = useAgentState(({ settings }) => settings?.dismissed);
  const isGone = dismissed === undefined || dismissed.includes(name);
  return [isGone, () => dismiss(agent, name)];
}

/** Closes a tip for good. */
export function dismiss(agent: Agent, name: string): void {
  const { dismissed = [] } = agent.store.get().settings ?? {};
  if (dismissed.includes(name)) return;
  void agent.attempt(() => agent.updateSettings({ dismissed: [...dismissed, name] }));
}

import { useAgent, useAgentState } from './use-agent.ts';

/** Whether a tip was sent away, which main remembers, and what sends it away. */
export function useDismissed(name: string): [isGone: boolean, dismiss: () => void] {
  const agent = useAgent();
  const dismissed = useAgentState(({ settings }) => settings?.dismissed);
  const isGone = dismissed === undefined || dismissed.includes(name);
  return [
    isGone,
    () => void agent.attempt(() => agent.updateSettings({ dismissed: [...new Set([...(dismissed ?? []), name])] })),
  ];
}

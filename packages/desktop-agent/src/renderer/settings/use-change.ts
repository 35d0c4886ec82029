import type { Settings } from '../../contract/index.ts';
import { useAgent } from '../state/use-agent.ts';

/** Keeps a setting; a failure is told, and the setting is as it was. */
export function useChange(): (change: Partial<Settings>) => void {
  const agent = useAgent();
  return (change) => void agent.attempt(() => agent.updateSettings(change));
}

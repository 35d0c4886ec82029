import type { ToolRun } from '../../shared/contract/index.ts';
import type { AgentState } from './agent-state.ts';
import type { Store } from './store.ts';

/** Puts a changed run into the open chat, and into the dialog that shows it. */
export function takeToolRun(store: Store<AgentState>, run: ToolRun): void {
  const { open, lookedAt } = store.get();
  if (lookedAt?.runId === run.runId) store.set({ lookedAt: run });
  if (open?.chat.id !== run.chatId) return;
  const isKnown = open.toolRuns.some(({ runId }) => runId === run.runId);
  const toolRuns = isKnown
    ? open.toolRuns.map((one) => (one.runId === run.runId ? run : one))
    : [...open.toolRuns, run];
  store.set({ open: { ...open, toolRuns } });
}

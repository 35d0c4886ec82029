import { FirstAttachTip } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { ChatMode } from '../../shared/contract/index.ts';
import { useDismissed } from '../state/use-dismissed.ts';
import { useAgentState } from '../state/use-agent.ts';

/** A tip on what the model will see of an attached file. It is closed for each mode, because the text depends on the mode. */
export function AttachTip({ mode }: { mode: ChatMode }): ReactElement | null {
  const scripts = useAgentState(({ settings }) => settings?.scripts);
  const mayRun = scripts !== undefined && scripts.enabled && scripts.consent !== 'never';
  const sees = mode === 'ask' || mode === 'build' ? 'all' : mayRun ? 'answers' : 'lines';
  const [isGone, dismiss] = useDismissed(sees === 'answers' ? 'first-attach' : `first-attach-${sees}`);
  return isGone ? null : <FirstAttachTip sees={sees} onDismiss={dismiss} />;
}

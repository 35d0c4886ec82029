import { BashCard, ScriptCard, useRun, type CommandRun, type Run, type RunStore } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { Part } from '../../contract/index.ts';
import { useUi } from '../app/ui.ts';
import { useAgent } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { Markdown } from './markdown.tsx';
import { Reasoning } from './reasoning.tsx';
import { ToolLine } from './tool-line.tsx';

/** One part of an answer. `isStreaming`: more of it may come. */
export function PartView({
  part,
  chatId,
  runs,
  isStreaming,
}: {
  part: Part;
  chatId: string;
  runs: RunStore;
  isStreaming: boolean;
}): ReactElement | null {
  switch (part.type) {
    case 'text':
      return <Markdown text={part.text} isStreaming={isStreaming} />;
    case 'reasoning':
      return <Reasoning text={part.text} isStreaming={isStreaming} />;
    case 'script':
      return <Script runId={part.runId} record={part.record as Run | null} chatId={chatId} runs={runs} />;
    case 'bash':
      return part.run === null ? null : <BashCard run={part.run as CommandRun} />;
    case 'tool':
      return <ToolLine part={part} />;
  }
}

/** What the events say, and what was kept when there are none: a chat that is read again runs nothing. */
function Script({
  runId,
  record,
  chatId,
  runs,
}: {
  runId: string;
  record: Run | null;
  chatId: string;
  runs: RunStore;
}): ReactElement | null {
  const agent = useAgent();
  const ui = useUi();
  const live = useRun(runs, runId);
  const run = live ?? record;
  if (run === null) return null;
  return (
    <ScriptCard
      run={run}
      onRerun={() => void agent.attempt(() => agent.call('rerun-script', { chatId, runId }))}
      onRetry={(guidance) => {
        const text = retryText(guidance, run);
        void agent.attempt(() => agent.call('chat:stream', { chatId, text, uploads: [] }));
      }}
      onManageScripts={() => ui.openSettings('scripts')}
      loadFullOutput={async () => (await agent.call('read-output', { chatId, runId })).text}
    />
  );
}

/** What the person says, and what it is about: the model may have run several scripts since. */
function retryText(guidance: string, run: Run): string {
  const { script = '' } = run;
  const reason = 'error' in run ? run.error.message : '';
  const ticks = '`'.repeat(Math.max(3, ...[...script.matchAll(/`+/g)].map(([found]) => found.length + 1)));
  return `${guidance}\n\n${texts.retryReason(reason)}\n\n${ticks}js\n${script.trimEnd()}\n${ticks}`;
}

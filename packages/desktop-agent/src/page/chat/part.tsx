import {
  BashCard,
  Icon,
  oneLine,
  ScriptCard,
  useRun,
  type CommandRun,
  type Run,
  type RunStore,
} from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import type { Part } from '../../shared/contract/index.ts';
import { saveAs } from '../download.ts';
import { useUi } from '../app/ui.ts';
import { useAgent } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { Markdown } from './markdown.tsx';
import { Reasoning } from './reasoning.tsx';
import { Reruns, type ActionsOf } from './reruns.tsx';
import { Summary } from './summary.tsx';
import { ToolLine } from './tool-line.tsx';
import { ToolScript } from './tool-script.tsx';

/** One part of an answer. `isStreaming` says that more of it may come. */
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
    case 'summary':
      return <Summary part={part} isStreaming={isStreaming} />;
    case 'script':
      return <Script runId={part.runId} record={part.record as Run | null} chatId={chatId} runs={runs} />;
    case 'tools':
      return <ToolScript runId={part.runId} chatId={chatId} />;
    case 'bash':
      return part.run === null ? null : <BashCard run={part.run as CommandRun} />;
    case 'tool':
      return <ToolLine part={part} />;
    case 'step':
      return (
        <p className="ma-tool-line ma-step-done" dir="auto">
          <Icon name="check" />
          <span className="ma-cut">{texts.stepDone(part.step + 1, oneLine(part.text))}</span>
        </p>
      );
  }
}

/** Shows a run by its events, or by the stored record if there are none, as in a chat that was loaded again. */
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
  const [started, setStarted] = useState<string>();
  const run = live ?? record;
  if (run === null) return null;
  const actionsOf: ActionsOf = (runId, run) => ({
    onRerun: () =>
      void agent.attempt(async () => setStarted((await agent.call('rerun-script', { chatId, runId })).runId)),
    onRetry: (guidance) => {
      const text = retryText(guidance, run);
      void agent.attempt(() => agent.call('chat:stream', { chatId, text, uploads: [] }));
    },
    onManageScripts: () => ui.openSettings('scripts'),
    loadOutput: async (path) => await (await agent.download({ chatId, path, from: 'saved' })).text(),
    downloadOutput: (path) =>
      void agent.attempt(async () => saveAs(await agent.download({ chatId, path, from: 'saved' }), path)),
    loadRows: async (name, request, columns) =>
      await agent.call('read-rows', { chatId, name, request, columns: [...columns] }),
    loadFullOutput: async () => (await agent.call('read-output', { chatId, runId })).text,
  });
  return (
    <>
      <ScriptCard run={run} {...actionsOf(runId, run)} />
      <Reruns rerunOf={runId} chatId={chatId} runs={runs} wanted={started} actionsOf={actionsOf} />
    </>
  );
}

/** The person's guidance, and the script that it is about, because the model may have run several scripts since. */
function retryText(guidance: string, run: Run): string {
  const { script = '' } = run;
  const reason = 'error' in run && run.error.code !== 'cancelled' ? run.error.message : '';
  const ticks = '`'.repeat(Math.max(3, ...[...script.matchAll(/`+/g)].map(([found]) => found.length + 1)));
  return `${guidance}\n\n${texts.retryReason(reason)}\n\n${ticks}js\n${script.trimEnd()}\n${ticks}`;
}

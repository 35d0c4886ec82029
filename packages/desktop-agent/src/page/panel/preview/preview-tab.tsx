import { Icon, oneLine, Printed } from '@mustard-sandbox/cards';
import { useEffect, useState, type ReactElement } from 'react';
import type { DevScript, Preview } from '../../../shared/contract/index.ts';
import { Button, Empty, Failure, Skeleton } from '../../parts/controls.tsx';
import { useAgent, useAgentState } from '../../state/use-agent.ts';
import { useAsked } from '../../state/use-asked.ts';
import { texts } from '../../words/texts.ts';
import { IssueList } from './issue-list.tsx';
import { Output } from './output.tsx';
import { RunningApp } from './running-app.tsx';

/** How long a start may take before a person is told where to look, in ms. */
const slowMs = 20_000;

/** The app itself, started by its own script and shown as it runs. */
export function PreviewTab({ appId }: { appId: string }): ReactElement {
  const agent = useAgent();
  const filesVersion = useAgentState((state) => state.filesVersion);
  const connected = useAgentState((state) => state.connected);
  const asked = useAsked(() => agent.call('get-preview', { appId }), [agent, appId, filesVersion, connected]);
  const told = useAgentState(({ previews }) => previews[appId]);
  const { value, problem } = asked;
  if (problem !== undefined) return <Failure title={problem.message} retry={texts.retry} onRetry={asked.again} />;
  if (value === undefined) return <Skeleton lines={4} label={texts.loading} />;
  // An event is newer than the answer to the request.
  return <Shown preview={told ?? value.preview} scripts={value.scripts} why={value.why} />;
}

function Shown({
  preview,
  scripts,
  why,
}: {
  preview: Preview;
  scripts: readonly DevScript[];
  why: string;
}): ReactElement {
  const { appId, state } = preview;
  const hasRun = preview.command !== null;
  const isOn = state === 'starting' || state === 'running';
  return (
    <div className="ma-fill ma-preview">
      {(state === 'off' || state === 'ended') && <Start preview={preview} scripts={scripts} why={why} />}
      {state === 'asking' && <Waiting appId={appId} text={texts.previewAsking} />}
      {state === 'starting' && <Starting appId={appId} />}
      {state === 'running' && <RunningApp key={appId} preview={preview} />}
      {hasRun && (
        <div className="ma-preview-foot">
          {(isOn || preview.errors.length > 0) && <IssueList preview={preview} />}
          <Output key={state} appId={appId} isOpen={state !== 'running'} />
        </div>
      )}
    </div>
  );
}

/** Shown when nothing runs: what can be started, and how the last run ended. */
function Start({
  preview,
  scripts,
  why,
}: {
  preview: Preview;
  scripts: readonly DevScript[];
  why: string;
}): ReactElement {
  const { appId, state, exit } = preview;
  const agent = useAgent();
  const [chosen, setChosen] = useState<string>();
  const script = scripts.find(({ name }) => name === chosen) ?? scripts[0];
  if (script === undefined) return <Empty title={texts.previewNone}>{why}</Empty>;
  const start = (): void => void agent.attempt(() => agent.call('start-preview', { appId, script: script.name }));
  const actions = (
    <>
      {scripts.length > 1 && (
        <select
          className="ms-input ma-select"
          aria-label={texts.previewScript}
          value={script.name}
          onChange={(event) => setChosen(event.target.value)}
        >
          {scripts.map(({ name }) => (
            <option key={name} value={name}>
              {oneLine(name)}
            </option>
          ))}
        </select>
      )}
      <Button kind="primary" onClick={start}>
        {state === 'ended' ? texts.previewRestart : texts.previewStart}
      </Button>
    </>
  );
  const hasEnded = state === 'ended';
  return (
    <>
      <Empty title={hasEnded ? texts.previewEnded(oneLine(exit ?? '')) : texts.previewOff} actions={actions}>
        {hasEnded ? texts.previewEndedHint : texts.previewOffHint}
      </Empty>
      <pre className="ma-pre ma-preview-command" dir="ltr" tabIndex={0} role="group" aria-label={texts.previewScript}>
        <Printed text={script.command} />
      </pre>
    </>
  );
}

function Starting({ appId }: { appId: string }): ReactElement {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), slowMs);
    return () => clearTimeout(timer);
  }, []);
  return <Waiting appId={appId} text={isSlow ? texts.previewSlow : texts.previewStarting} isMoving />;
}

function Waiting({ appId, text, isMoving = false }: { appId: string; text: string; isMoving?: boolean }): ReactElement {
  const agent = useAgent();
  return (
    <div className="ma-tab-head">
      <p className="ma-with-icon" role="status">
        {isMoving ? <span className="ma-pulse" /> : <Icon name="question" />}
        {text}
      </p>
      <Button onClick={() => void agent.attempt(() => agent.call('stop-preview', { appId }))}>
        {texts.previewStop}
      </Button>
    </div>
  );
}

import { Printed } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { Preview } from '../../../shared/contract/index.ts';
import { Button } from '../../parts/controls.tsx';
import { useAgent, useAgentState } from '../../state/use-agent.ts';
import { texts } from '../../words/texts.ts';
import { choose, removeIssues, useIssues, type Issue } from './issues.ts';
import { fixMessage } from './messages.ts';

/** The errors of the app. A person can choose some and send them to the model. */
export function IssueList({ preview }: { preview: Preview }): ReactElement {
  const agent = useAgent();
  const { appId } = preview;
  const { all, chosen } = useIssues(preview);
  const isStreaming = useAgentState(({ open }) => open?.chat.streaming === true);
  if (all.length === 0) return <p className="ma-quiet">{texts.issuesNone}</p>;
  const fix = async (): Promise<void> => {
    const chat = await agent.someChat();
    if (chat === undefined) return;
    const message = { chatId: chat.id, text: fixMessage(chosen), uploads: [] };
    if (await agent.attempt(() => agent.call('chat:stream', message))) removeIssues(appId, chosen);
  };
  const whyNot = isStreaming ? texts.whyNotSend.answering : chosen.length === 0 ? texts.issuesNoneChosen : undefined;
  return (
    <section className="ma-preview-issues" aria-label={texts.issues(all.length)}>
      <div className="ma-tab-head">
        <p className="ma-strong" role="status">
          {texts.issues(all.length)}
        </p>
        <div className="ma-actions">
          <Button className="ma-flat" onClick={() => removeIssues(appId, all)}>
            {texts.issuesClear}
          </Button>
          <Button kind="primary" whyNot={whyNot} onClick={() => void fix()}>
            {texts.issuesFix}
          </Button>
        </div>
      </div>
      <ul className="ma-list ma-preview-list">
        {all.map((issue) => (
          <IssueRow key={issue.key} appId={appId} issue={issue} isChosen={chosen.includes(issue)} />
        ))}
      </ul>
    </section>
  );
}

function IssueRow({ appId, issue, isChosen }: { appId: string; issue: Issue; isChosen: boolean }): ReactElement {
  const { key, kind, text, count } = issue;
  const [first = '', ...rest] = text.split('\n');
  const label = (
    <span className="ma-preview-issue">
      <span className="ma-quiet">
        {texts.issueKinds[kind]}
        {count > 1 && ` · ${texts.issueTimes(count)}`}
      </span>
      <span className="ma-wrap" dir="auto">
        <Printed text={first.slice(0, 300)} />
      </span>
    </span>
  );
  return (
    <li>
      <label className="ma-preview-choice">
        <input type="checkbox" checked={isChosen} onChange={(event) => choose(appId, key, event.target.checked)} />
        {label}
      </label>
      {(rest.length > 0 || first.length > 300) && (
        <details className="ma-preview-more">
          <summary>{texts.issueAll}</summary>
          <pre className="ma-pre" dir="ltr" tabIndex={0}>
            <Printed text={text} />
          </pre>
        </details>
      )}
    </li>
  );
}

import { oneLine, QuestionDialog } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import type { GitState, Result } from '../../../shared/contract/index.ts';
import { pullRequestCommand, quoted } from '../../../shared/pull-request.ts';
import { Button, Skeleton } from '../../parts/controls.tsx';
import { useAgent, useAgentState } from '../../state/use-agent.ts';
import { useAsked } from '../../state/use-asked.ts';
import { texts } from '../../words/texts.ts';
import { Doing, Failed } from './parts.tsx';
import { useGitTask } from './use-git-task.ts';

type Draft = Result<'draft-pull-request'>;
interface Agreed {
  appId: string;
  remote: string;
  url: string;
  pushUrl: string;
  branch: string;
}

/** A pull request by `gh`: the person edits title and text, and sees the command that is run. */
export function PullRequestDialog({
  appId,
  git,
  onDone,
}: {
  appId: string;
  git: GitState;
  onDone: () => void;
}): ReactElement {
  const agent = useAgent();
  const chatId = useAgentState(({ open }) => open?.chat.id);
  const remote = git.remotes.find(({ name }) => name === git.upstream?.remote);
  const { name = '', url = '', pushUrl = '' } = remote ?? {};
  const agreed = { appId, remote: name, url, pushUrl, branch: git.upstream?.branch ?? '' };
  const asked = useAsked(
    () => agent.call('draft-pull-request', { ...agreed, ...(chatId !== undefined && { chatId }) }),
    [agent, appId],
  );
  if (asked.value !== undefined) return <Form agreed={agreed} draft={asked.value} onDone={onDone} />;
  const actions = (
    <div className="ms-dialog-actions">
      <Button data-safe onClick={onDone}>
        {texts.close}
      </Button>
    </div>
  );
  return (
    <QuestionDialog title={texts.pullRequestTitle} onEscape={onDone} actions={actions}>
      {asked.problem === undefined ? (
        <Skeleton lines={4} label={texts.loading} />
      ) : (
        <Failed message={asked.problem.message} onRetry={asked.again} />
      )}
    </QuestionDialog>
  );
}

function Form({ agreed, draft, onDone }: { agreed: Agreed; draft: Draft; onDone: () => void }): ReactElement {
  const agent = useAgent();
  const task = useGitTask();
  const [fields, setFields] = useState({ title: draft.title, body: draft.body, base: draft.base, draft: false });
  const [made, setMade] = useState<string>();
  const { branch } = agreed;
  const title = fields.title.trim();
  const command = pullRequestCommand({ ...fields, title, branch, repository: draft.repository });
  const make = (): void =>
    void task.run(texts.pullRequestMaking, async (taskId) => {
      const wanted = { ...agreed, ...fields, title, taskId, repository: draft.repository };
      setMade((await agent.call('create-pull-request', wanted)).url);
    });
  const whyNot = title === '' ? texts.pullRequestNoTitle : task.doing;
  const actions = (
    <div className="ms-dialog-actions">
      <Button data-safe onClick={task.doing === undefined ? onDone : task.cancel}>
        {task.doing === undefined ? texts.close : texts.cancel}
      </Button>
      <span className="ms-spacer" />
      {made === undefined && (
        <Button kind="primary" whyNot={whyNot} onClick={make}>
          {texts.pullRequestMake}
        </Button>
      )}
    </div>
  );
  return (
    <QuestionDialog title={texts.pullRequestTitle} onEscape={onDone} actions={actions}>
      <div className="ma-sync">
        {task.problem !== undefined && <Failed message={task.problem.message} />}
        {made === undefined ? (
          <>
            <Fields fields={fields} bases={draft.bases} onFields={setFields} />
            <p className="ma-quiet">{texts.pullRequestRuns}</p>
            <pre className="ma-command" tabIndex={0} aria-label={texts.pullRequestRuns}>
              <code dir="ltr">{oneLine(quoted(command))}</code>
            </pre>
          </>
        ) : (
          <p className="ma-wrap">
            {texts.pullRequestMade}{' '}
            <a href={made} target="_blank" rel="noreferrer noopener">
              {made}
            </a>
          </p>
        )}
        <Doing task={task} />
      </div>
    </QuestionDialog>
  );
}

type Values = { title: string; body: string; base: string; draft: boolean };

function Fields({
  fields,
  bases,
  onFields,
}: {
  fields: Values;
  bases: readonly string[];
  onFields: (values: Values) => void;
}): ReactElement {
  const options = bases.length === 0 ? [fields.base] : bases;
  return (
    <>
      <label className="ma-field">
        <span>{texts.pullRequestName}</span>
        <input
          className="ms-input"
          dir="auto"
          maxLength={300}
          value={fields.title}
          onChange={(event) => onFields({ ...fields, title: event.target.value })}
        />
      </label>
      <label className="ma-field">
        <span>{texts.pullRequestBody}</span>
        <textarea
          className="ms-input ma-pull-request-body"
          dir="auto"
          rows={6}
          maxLength={60_000}
          value={fields.body}
          onChange={(event) => onFields({ ...fields, body: event.target.value })}
        />
      </label>
      <label className="ma-field">
        <span>{texts.pullRequestBase}</span>
        <select
          className="ms-input"
          value={fields.base}
          onChange={(event) => onFields({ ...fields, base: event.target.value })}
        >
          {options.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label className="ma-check">
        <input
          type="checkbox"
          checked={fields.draft}
          onChange={(event) => onFields({ ...fields, draft: event.target.checked })}
        />
        <span>{texts.pullRequestDraft}</span>
      </label>
    </>
  );
}

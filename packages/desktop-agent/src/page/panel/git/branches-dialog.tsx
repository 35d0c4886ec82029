import { oneLine, QuestionDialog } from '@mustard-sandbox/cards';
import { useState, type FormEvent, type ReactElement } from 'react';
import type { Branch, GitState } from '../../../shared/contract/index.ts';
import { Button, IconButton } from '../../parts/controls.tsx';
import { useAgent, useAgentState } from '../../state/use-agent.ts';
import { texts } from '../../words/texts.ts';
import { offerUndo } from './offer-undo.ts';
import { Conflicts, Doing, Failed } from './parts.tsx';
import { useGitTask } from './use-git-task.ts';

const undoMs = 60_000;

/** The branches of the repository: switching, merging, deleting, and new ones. */
export function BranchesDialog({
  appId,
  git,
  onDone,
}: {
  appId: string;
  git: GitState;
  onDone: () => void;
}): ReactElement {
  const work = useBranches(appId, git, onDone);
  const { task } = work;
  const actions = (
    <div className="ms-dialog-actions">
      <Button data-safe onClick={task.doing === undefined ? onDone : task.cancel}>
        {task.doing === undefined ? texts.close : texts.cancel}
      </Button>
    </div>
  );
  return (
    <QuestionDialog title={texts.branchesTitle} onEscape={onDone} actions={actions}>
      <div className="ma-sync">
        {task.problem !== undefined && <Failed message={task.problem.message} />}
        {work.conflicts !== undefined && <Conflicts files={work.conflicts} />}
        <NewBranch work={work} />
        <section aria-label={texts.branchesOther}>
          <p className="ma-strong">{texts.branchesOther}</p>
          <p className="ma-quiet">{git.branches.length === 0 ? texts.branchesNone : texts.branchesOwn}</p>
          <ul className="ma-branches">
            {git.branches.map((branch) => (
              <Row key={branch.name} branch={branch} current={git.branch} work={work} />
            ))}
          </ul>
          {git.more > 0 && <p className="ma-quiet">{texts.branchesMore(git.more)}</p>}
        </section>
        <Doing task={task} />
      </div>
    </QuestionDialog>
  );
}

interface Work {
  task: ReturnType<typeof useGitTask>;
  conflicts: string[] | undefined;
  create: (name: string) => void;
  createForChat: (() => void) | undefined;
  switchTo: (branch: Branch) => void;
  merge: (branch: Branch) => void;
  remove: (branch: Branch) => void;
}

function useBranches(appId: string, git: GitState, onDone: () => void): Work {
  const agent = useAgent();
  const task = useGitTask();
  const chatId = useAgentState(({ open }) => open?.chat.id);
  const [conflicts, setConflicts] = useState<string[]>();
  const tell = (text: string): void => agent.toast({ kind: 'info', text });
  const run = (doing: string, work: (taskId: string) => Promise<void>): void => {
    setConflicts(undefined);
    void task.run(doing, work);
  };
  const switched = (name: string): void => {
    tell(texts.branchSwitched(oneLine(name)));
    onDone();
  };
  return {
    task,
    conflicts,
    create: (name) =>
      run(texts.branchMaking, async () => {
        await agent.call('create-branch', { appId, name });
        switched(name);
      }),
    createForChat:
      chatId === undefined
        ? undefined
        : () =>
            run(texts.branchMaking, async () => switched((await agent.call('create-chat-branch', { chatId })).name)),
    switchTo: ({ name }) =>
      run(texts.branchSwitching(oneLine(name)), async () => {
        await agent.call('switch-branch', { appId, name });
        switched(name);
      }),
    merge: ({ name, commit }) =>
      run(texts.syncPulling, async (taskId) => {
        const joined = await agent.call('merge-branch', { appId, taskId, name, commit });
        if (joined.outcome === 'conflicts') return setConflicts(joined.files);
        const text = texts.branchMerged(oneLine(name), oneLine(git.branch ?? ''));
        if (joined.outcome === 'joined') offerUndo(agent, appId, joined, text);
        onDone();
      }),
    remove: ({ name, commit }) =>
      run(texts.branchDeleting(oneLine(name)), async () => {
        await agent.call('delete-branch', { appId, name, commit });
        const restore = async (): Promise<void> => {
          await agent.call('restore-branch', { appId, name, commit });
        };
        agent.toast({
          kind: 'info',
          text: texts.branchDeleted(oneLine(name)),
          until: Date.now() + undoMs,
          action: { label: texts.undo, run: () => void agent.attempt(restore) },
        });
      }),
  };
}

function NewBranch({ work: { create, createForChat, task } }: { work: Work }): ReactElement {
  const [name, setName] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() !== '') create(name.trim());
  };
  return (
    <form className="ma-field" onSubmit={submit}>
      <label className="ma-field">
        <span>{texts.branchNew}</span>
        <input
          className="ms-input"
          dir="ltr"
          spellCheck={false}
          autoCapitalize="off"
          maxLength={200}
          placeholder={texts.branchNewHint}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <div className="ma-actions">
        <Button type="submit" icon="plus" whyNot={name.trim() === '' ? texts.branchNoName : task.doing}>
          {texts.branchMake}
        </Button>
        {createForChat !== undefined && (
          <Button whyNot={task.doing} onClick={createForChat}>
            {texts.branchForChat}
          </Button>
        )}
      </div>
    </form>
  );
}

function Row({ branch, current, work }: { branch: Branch; current: string | null; work: Work }): ReactElement {
  const name = oneLine(branch.name);
  const { doing } = work.task;
  return (
    <li>
      <span className="ma-wrap ma-branch-name" dir="auto">
        {name} {branch.merged && <span className="ma-quiet">{texts.branchIsMerged}</span>}
      </span>
      <span className="ma-actions">
        <Button whyNot={doing} aria-label={texts.branchSwitchTo(name)} onClick={() => work.switchTo(branch)}>
          {texts.branchSwitch}
        </Button>
        {!branch.merged && current !== null && (
          <Button
            whyNot={doing}
            aria-label={texts.branchMergeOf(name, oneLine(current))}
            onClick={() => work.merge(branch)}
          >
            {texts.branchMerge}
          </Button>
        )}
        {branch.merged && (
          <IconButton
            icon="trash"
            label={texts.branchDelete(name)}
            aria-disabled={doing !== undefined}
            onClick={() => work.remove(branch)}
          />
        )}
      </span>
    </li>
  );
}

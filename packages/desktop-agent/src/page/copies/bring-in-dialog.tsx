import { oneLine, QuestionDialog } from '@mustard-sandbox/cards';
import { useEffect, useState, type ReactElement } from 'react';
import type { App, CopyComparison } from '../../shared/contract/index.ts';
import { useUi } from '../app/ui.ts';
import { offerUndo } from '../panel/git/offer-undo.ts';
import { Conflicts, Doing, Failed, ListedCommits } from '../panel/git/parts.tsx';
import { useGitTask } from '../panel/git/use-git-task.ts';
import { Button, Skeleton } from '../parts/controls.tsx';
import { deleteApp } from '../starting/app-dialog.tsx';
import { useAgent, useAgentState, useApp } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { appOf } from './of-app.ts';

/** Shows which commits a copy has that its app lacks, and brings in just those, or removes the copy. */
export function BringInDialog(): ReactElement | null {
  const open = useApp();
  // When it is removed, another app is open before the dialog is closed.
  const [copy] = useState(open);
  const app = appOf(
    copy,
    useAgentState((state) => state.apps),
  );
  return copy === undefined || app === undefined ? null : <Dialog copy={copy} app={app} />;
}

function Dialog({ copy, app }: { copy: App; app: App }): ReactElement {
  const ui = useUi();
  const close = (): void => ui.set({ dialog: undefined });
  const work = useBringIn(copy, app, close);
  const { task, compared, conflicts } = work;
  const name = oneLine(app.name);
  const actions = (
    <div className="ms-dialog-actions">
      <Button data-safe onClick={task.doing === undefined ? close : task.cancel}>
        {task.doing === undefined ? texts.close : texts.cancel}
      </Button>
      <span className="ms-spacer" />
      {task.doing === undefined && (
        <Button kind="danger" icon="trash" onClick={work.remove}>
          {texts.copyRemove}
        </Button>
      )}
      {compared !== undefined && compared.incoming.count > 0 && task.doing === undefined && (
        <Button kind="primary" onClick={() => work.bring(compared)}>
          {texts.copyBringDo(compared.incoming.count)}
        </Button>
      )}
    </div>
  );
  return (
    <QuestionDialog title={texts.copyBringTitle(oneLine(copy.name))} onEscape={close} actions={actions}>
      <div className="ma-sync">
        {task.problem !== undefined && <Failed message={task.problem.message} onRetry={work.compare} />}
        {conflicts !== undefined && <Conflicts files={conflicts} />}
        {compared !== undefined && <Compared compared={compared} app={name} work={work} />}
        {compared === undefined && task.doing !== undefined && <Skeleton lines={4} label={texts.loading} />}
        <p className="ma-quiet">{hasAll(compared) ? texts.copyRemoveSafe : texts.copyRemoveLoses(name)}</p>
        <Doing task={task} />
      </div>
    </QuestionDialog>
  );
}

function hasAll(compared: CopyComparison | undefined): boolean {
  return compared?.incoming.count === 0 && compared.uncommitted === 0;
}

function Compared({ compared, app, work }: { compared: CopyComparison; app: string; work: Work }): ReactElement {
  const { branch, into, incoming, uncommitted } = compared;
  return (
    <>
      <p className="ma-wrap">{texts.copyWhere(oneLine(branch), oneLine(into), app)}</p>
      {incoming.count === 0 && <p>{texts.copyNothing(app)}</p>}
      {incoming.count > 0 && (
        <>
          <ListedCommits title={texts.copyIncoming(incoming.count, app)} commits={incoming} />
          <p className="ma-quiet">{texts.copyOwn}</p>
        </>
      )}
      {uncommitted > 0 && (
        <>
          <p className="ma-warning">{texts.copyUncommitted(uncommitted)}</p>
          <div className="ma-actions">
            <Button whyNot={work.task.doing} onClick={work.commit}>
              {texts.copyCommit}
            </Button>
          </div>
        </>
      )}
    </>
  );
}

interface Work {
  task: ReturnType<typeof useGitTask>;
  compared: CopyComparison | undefined;
  conflicts: string[] | undefined;
  compare: () => void;
  commit: () => void;
  bring: (compared: CopyComparison) => void;
  remove: () => void;
}

function useBringIn(copy: App, app: App, onDone: () => void): Work {
  const agent = useAgent();
  const task = useGitTask();
  const [compared, setCompared] = useState<CopyComparison>();
  const [conflicts, setConflicts] = useState<string[]>();
  const appId = copy.id;
  const compareNow = async (taskId: string): Promise<void> => {
    setCompared(undefined);
    setConflicts(undefined);
    setCompared(await agent.call('compare-copy', { appId, taskId }));
  };
  const compare = (): void => void task.run(texts.copyLooking, compareNow);
  useEffect(compare, []);
  const bring = ({ branch, into, ours, theirs, incoming }: CopyComparison): void => {
    const work = async (taskId: string): Promise<void> => {
      const joined = await agent.call('bring-in-copy', { appId, taskId, branch, into, ours, theirs });
      if (joined.outcome === 'conflicts') return setConflicts(joined.files);
      const text = texts.copyBrought(incoming.count, oneLine(app.name));
      if (joined.outcome === 'joined') offerUndo(agent, app.id, joined, text);
      await compareNow(`${taskId}-2`);
    };
    void task.run(texts.syncPulling, work);
  };
  const commit = (): void => {
    const work = async (taskId: string): Promise<void> => {
      await agent.call('commit-copy', { appId });
      await compareNow(taskId);
    };
    void task.run(texts.copyCommitting, work);
  };
  const remove = (): void => {
    const work = async (): Promise<void> => {
      await deleteApp(agent, copy);
      onDone();
      await agent.openApp(app.id);
    };
    void task.run(texts.copyRemoving, work);
  };
  return { task, compared, conflicts, compare, commit, bring, remove };
}

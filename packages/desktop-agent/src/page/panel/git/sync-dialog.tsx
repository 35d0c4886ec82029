import { oneLine, QuestionDialog } from '@mustard-sandbox/cards';
import { useEffect, useState, type ReactElement } from 'react';
import type { Comparison, GitState, Joined, Remote } from '../../../shared/contract/index.ts';
import { Button, Skeleton } from '../../parts/controls.tsx';
import { useAgent } from '../../state/use-agent.ts';
import { texts } from '../../words/texts.ts';
import { offerUndo } from './offer-undo.ts';
import { Conflicts, Doing, Failed, ListedCommits } from './parts.tsx';
import { useGitTask } from './use-git-task.ts';

/** Shows which commits each side has, and pulls or pushes just those when that is pressed. */
export function SyncDialog({ appId, git, onDone }: { appId: string; git: GitState; onDone: () => void }): ReactElement {
  const usable = git.remotes.filter(({ refused }) => refused === null);
  const [name, setName] = useState(git.upstream?.remote);
  const remote = usable.find((one) => one.name === name) ?? usable[0];
  const there = git.upstream?.branch ?? git.branch ?? '';
  const sync = useSync(appId, { remote, branch: there }, onDone);
  const { compared, conflicts, task } = sync;
  const actions = (
    <div className="ms-dialog-actions">
      <Button data-safe onClick={task.doing === undefined ? onDone : task.cancel}>
        {task.doing === undefined ? texts.close : texts.cancel}
      </Button>
      <span className="ms-spacer" />
      {compared !== undefined && task.doing === undefined && <Answers compared={compared} sync={sync} />}
    </div>
  );
  const title = texts.syncTitle(oneLine(git.branch ?? ''), oneLine(remote?.name ?? ''), oneLine(there));
  return (
    <QuestionDialog title={title} onEscape={onDone} actions={actions}>
      <div className="ma-sync">
        {usable.length > 1 && git.upstream?.isSet !== true && (
          <label className="ma-field">
            <span>{texts.syncRemote}</span>
            <select className="ms-input" value={remote?.name} onChange={(event) => setName(event.target.value)}>
              {usable.map((one) => (
                <option key={one.name}>{one.name}</option>
              ))}
            </select>
          </label>
        )}
        {remote !== undefined && <Addresses remote={remote} />}
        {task.problem !== undefined && <Failed message={task.problem.message} onRetry={sync.compare} />}
        {conflicts !== undefined && <Conflicts files={conflicts} />}
        {compared !== undefined && <Compared compared={compared} remote={remote?.name ?? ''} branch={there} />}
        {compared === undefined && task.doing !== undefined && <Skeleton lines={4} label={texts.loading} />}
        <Doing task={task} />
      </div>
    </QuestionDialog>
  );
}

interface Sync {
  task: ReturnType<typeof useGitTask>;
  compared: Comparison | undefined;
  conflicts: string[] | undefined;
  compare: () => void;
  pull: (compared: Comparison) => void;
  push: (compared: Comparison) => void;
}

function useSync(
  appId: string,
  { remote, branch }: { remote: Remote | undefined; branch: string },
  onDone: () => void,
): Sync {
  const agent = useAgent();
  const task = useGitTask();
  const [compared, setCompared] = useState<Comparison>();
  const [conflicts, setConflicts] = useState<string[]>();
  const { name = '', url = '', pushUrl = '' } = remote ?? {};
  const agreed = { appId, remote: name, url, pushUrl, branch };
  const compareNow = async (taskId: string): Promise<void> => {
    setCompared(undefined);
    setConflicts(undefined);
    setCompared(await agent.call('compare-with-remote', { ...agreed, taskId }));
  };
  const compare = (): void => void task.run(texts.syncAsk(oneLine(url)), compareNow);
  useEffect(compare, [name]);
  const pull = ({ ours, theirs, incoming, outgoing }: Comparison): void => {
    const work = async (taskId: string): Promise<void> => {
      const params = { appId, taskId, remote: name, branch, ours, theirs: theirs ?? '' };
      const joined: Joined = await agent.call('pull-branch', params);
      if (joined.outcome === 'conflicts') return setConflicts(joined.files);
      if (joined.outcome === 'joined') offerUndo(agent, appId, joined, texts.pulled(incoming.count));
      else agent.toast({ kind: 'info', text: texts.pullNothing });
      if (outgoing.count === 0) onDone();
      else await compareNow(`${taskId}-2`);
    };
    void task.run(texts.syncPulling, work);
  };
  const push = ({ ours, theirs, outgoing }: Comparison): void => {
    const work = async (taskId: string): Promise<void> => {
      await agent.call('push-branch', { ...agreed, taskId, ours, theirs });
      agent.toast({ kind: 'info', text: texts.pushed(outgoing.count, `${name}/${branch}`) });
      onDone();
    };
    void task.run(texts.syncPushing(oneLine(pushUrl)), work);
  };
  return { task, compared, conflicts, compare, pull, push };
}

function Addresses({ remote }: { remote: Remote }): ReactElement {
  return (
    <p className="ma-quiet ma-wrap">
      <code dir="ltr">{oneLine(remote.url)}</code>
      {remote.pushUrl !== remote.url && ` ${texts.syncPushTo(oneLine(remote.pushUrl))}`}
    </p>
  );
}

function Compared({
  compared,
  remote,
  branch,
}: {
  compared: Comparison;
  remote: string;
  branch: string;
}): ReactElement {
  const { theirs, incoming, outgoing, rewritten } = compared;
  const isEqual = theirs !== null && incoming.count === 0 && outgoing.count === 0;
  return (
    <>
      {isEqual && <p>{texts.syncEqual}</p>}
      {theirs === null && <p>{texts.syncNew(oneLine(branch), oneLine(remote))}</p>}
      {rewritten > 0 && <p className="ma-warning">{texts.syncRewritten(rewritten)}</p>}
      {incoming.count > 0 && (
        <>
          <ListedCommits title={texts.syncIncoming(incoming.count)} commits={incoming} />
          <p className="ma-quiet">{texts.syncOwn}</p>
        </>
      )}
      {outgoing.count > 0 && (
        <ListedCommits
          title={theirs === null ? texts.syncNewCommits(outgoing.count) : texts.syncOutgoing(outgoing.count)}
          commits={outgoing}
        />
      )}
    </>
  );
}

/** What is possible is one thing at a time: before a push, what the server has must be here. */
function Answers({ compared, sync }: { compared: Comparison; sync: Sync }): ReactElement | null {
  const { theirs, incoming, outgoing } = compared;
  const isNew = theirs === null;
  return (
    <>
      {(outgoing.count > 0 || isNew) && (
        <Button
          {...(incoming.count === 0 && { kind: 'primary' as const })}
          whyNot={incoming.count > 0 ? texts.pushFirstPull : undefined}
          onClick={() => sync.push(compared)}
        >
          {outgoing.count === 0 ? texts.pushNew : texts.push(outgoing.count)}
        </Button>
      )}
      {incoming.count > 0 && (
        <Button kind="primary" onClick={() => sync.pull(compared)}>
          {texts.pull(incoming.count)}
        </Button>
      )}
    </>
  );
}

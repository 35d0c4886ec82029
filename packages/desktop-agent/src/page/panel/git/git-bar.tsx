import { oneLine } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import type { GitState } from '../../../shared/contract/index.ts';
import { Button } from '../../parts/controls.tsx';
import { useAgent, useAgentState } from '../../state/use-agent.ts';
import { useAsked } from '../../state/use-asked.ts';
import { texts } from '../../words/texts.ts';
import { BranchesDialog } from './branches-dialog.tsx';
import { CopyButton } from '../../copies/copy-button.tsx';
import { PullRequestDialog } from './pull-request-dialog.tsx';
import { SyncDialog } from './sync-dialog.tsx';

/** The branch of the app, its remote, and what a person can do with it. */
export function GitBar({ appId }: { appId: string }): ReactElement | null {
  const agent = useAgent();
  const filesVersion = useAgentState((state) => state.filesVersion);
  const asked = useAsked(() => agent.call('read-git', { appId }), [agent, appId, filesVersion]);
  const [dialog, setDialog] = useState<'sync' | 'branches' | 'pull-request'>();
  const { value: git } = asked;
  if (git === undefined) return null;
  const onDone = (): void => {
    setDialog(undefined);
    asked.again();
  };
  const remote = git.remotes.find(({ name }) => name === git.upstream?.remote);
  return (
    <section className="ma-git" aria-label={texts.gitBranch}>
      <div className="ma-git-names">
        <p className="ma-strong ma-wrap" dir="auto">
          {branchOf(git)}
        </p>
        <p className="ma-quiet ma-wrap" dir="auto">
          {remote?.refused ?? whereOf(git)}
        </p>
      </div>
      <Button onClick={() => setDialog('branches')}>{texts.gitBranches}</Button>
      <CopyButton git={git} />
      {remote?.refused === null && (
        <Button
          icon="reload"
          whyNot={git.branch === null || git.commit === null ? texts.gitNoBranch : undefined}
          onClick={() => setDialog('sync')}
        >
          {texts.gitSync}
        </Button>
      )}
      {git.gh && remote?.refused === null && (
        <Button onClick={() => setDialog('pull-request')}>{texts.pullRequest}</Button>
      )}
      {dialog === 'pull-request' && <PullRequestDialog appId={appId} git={git} onDone={onDone} />}
      {dialog === 'sync' && <SyncDialog appId={appId} git={git} onDone={onDone} />}
      {dialog === 'branches' && <BranchesDialog appId={appId} git={git} onDone={onDone} />}
    </section>
  );
}

function branchOf({ branch, commit }: GitState): string {
  if (branch === null) return texts.gitDetached(commit?.slice(0, 7) ?? '');
  return commit === null ? texts.gitUnborn(oneLine(branch)) : oneLine(branch);
}

function whereOf({ noRemotes, remotes, upstream }: GitState): string {
  const remote = remotes.find(({ name }) => name === upstream?.remote);
  if (remote === undefined || upstream === null) return noRemotes ?? texts.gitNoRemote;
  return texts.gitWhere(oneLine(remote.name), oneLine(upstream.branch), oneLine(remote.url));
}

import { oneLine } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import { VList } from 'virtua';
import type { Message, Version } from '../../shared/contract/index.ts';
import { useUi, useUiState } from '../app/ui.ts';
import { DiffView } from '../diff/diff-view.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Button, Empty, Failure, Skeleton } from '../parts/controls.tsx';
import { Time } from '../parts/time.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { useAsked } from '../state/use-asked.ts';
import { texts } from '../words/texts.ts';
import { GitBar } from './git/git-bar.tsx';

/** The commits of the app, newest first. A person can look at each and go back to it. */
export function VersionsTab({ appId }: { appId: string }): ReactElement {
  const agent = useAgent();
  const commit = useUiState((state) => state.commit);
  const filesVersion = useAgentState((state) => state.filesVersion);
  const chatId = useAgentState(({ open }) => open?.chat.id);
  const repository = useAgentState(({ apps }) => apps.find(({ id }) => id === appId)?.repository);
  const [isOfChat, setOfChat] = useState(false);
  const only = isOfChat && chatId !== undefined ? { chatId } : {};
  const asked = useAsked(
    () => agent.call('list-versions', { appId, ...only }),
    [agent, appId, filesVersion, only.chatId],
  );
  if (commit !== undefined) return <OneVersion appId={appId} commit={commit} />;
  const { value, problem } = asked;
  if (problem !== undefined) return <Failure title={problem.message} retry={texts.retry} onRetry={asked.again} />;
  if (value === undefined) return <Skeleton lines={6} label={texts.loading} />;
  const { versions, more } = value;
  if (versions.length === 0 && !isOfChat && !more)
    return <Empty title={texts.versionsEmpty}>{texts.versionsEmptyHint}</Empty>;
  return (
    <div className="ma-fill">
      <GitBar appId={appId} />
      <UndoTurn />
      {chatId !== undefined && (
        <label className="ma-check-row">
          <input
            type="checkbox"
            role="switch"
            className="ms-switch"
            checked={isOfChat}
            onChange={(event) => setOfChat(event.target.checked)}
          />
          <span>{texts.versionsOfChat}</span>
        </label>
      )}
      {typeof repository === 'string' && (
        <p className="ma-quiet ma-wrap">{texts.versionsOfFolder(oneLine(repository))}</p>
      )}
      {more && (
        <p className="ma-quiet">
          {versions.length === 0 ? texts.versionsNoneNear : texts.versionsMore(versions.length)}
        </p>
      )}
      {versions.length === 0 ? (
        isOfChat && <p className="ma-quiet">{texts.versionsNoneOfChat}</p>
      ) : (
        <div className="ma-versions" role="group" aria-label={texts.tabs.versions}>
          <VList data={versions}>{(version) => <Row key={version.commit} version={version} />}</VList>
        </div>
      )}
    </div>
  );
}

function UndoTurn(): ReactElement | null {
  const agent = useAgent();
  const chatId = useAgentState(({ open }) => open?.chat.id);
  const undoable = useAgentState(({ open }) => open?.messages.findLast((one) => isTurn(one, isInApp))?.id);
  const redoable = useAgentState(({ open }) => open?.messages.find((one) => isTurn(one, isUndone))?.id);
  const [isAsked, setAsked] = useState(false);
  if (chatId === undefined || (undoable === undefined && redoable === undefined)) return null;
  const call = async (channel: 'undo-turn' | 'redo-turn', messageId: string, text: string): Promise<void> => {
    setAsked(true);
    if (await agent.attempt(() => agent.call(channel, { chatId, messageId }))) agent.toast({ kind: 'info', text });
    setAsked(false);
  };
  const whyNot = isAsked ? texts.turnUnderWay : undefined;
  return (
    <div className="ma-actions">
      {undoable !== undefined && (
        <Button icon="undo" whyNot={whyNot} onClick={() => void call('undo-turn', undoable, texts.undone)}>
          {texts.undoTurn}
        </Button>
      )}
      {redoable !== undefined && (
        <Button whyNot={whyNot} onClick={() => void call('redo-turn', redoable, texts.redone)}>
          {texts.redoTurn}
        </Button>
      )}
    </div>
  );
}

type Undone = string | null | undefined;
const isInApp = (undone: Undone): boolean => undone === undefined;
const isUndone = (undone: Undone): boolean => typeof undone === 'string';

/** An answer that was applied, and what became of it. */
function isTurn({ commit, proposal }: Message, fits: (undone: Undone) => boolean): boolean {
  return commit !== null && proposal?.state === 'approved' && fits(proposal.undone);
}

function Row({ version }: { version: Version }): ReactElement {
  const ui = useUi();
  const { commit, message, author, at, messageId } = version;
  return (
    <button type="button" className="ma-list-row ma-version" onClick={() => ui.set({ commit })}>
      <span className="ma-version-subject" dir="auto" title={oneLine(message)}>
        {oneLine(message.split('\n', 1)[0] ?? '')}
      </span>
      <span className="ma-quiet ma-version-meta">
        <code>{commit.slice(0, 7)}</code>
        <span className="ma-cut">{messageId === null ? texts.versionBy(oneLine(author)) : texts.fromChat}</span>
        <Time at={at} />
      </span>
    </button>
  );
}

function OneVersion({ appId, commit }: { appId: string; commit: string }): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const [isAsked, setAsked] = useState(false);
  const asked = useAsked(() => agent.call('read-version', { appId, commit }), [agent, appId, commit]);
  const back = async (): Promise<void> => {
    setAsked(false);
    if (await agent.attempt(() => agent.call('revert-to-version', { appId, commit }))) {
      ui.set({ commit: undefined });
      agent.toast({ kind: 'info', text: texts.wentBack });
    }
  };
  return (
    <div className="ma-review">
      <div className="ma-actions">
        <Button className="ma-flat" onClick={() => ui.set({ commit: undefined })}>
          {texts.allVersions}
        </Button>
        <Button icon="undo" onClick={() => setAsked(true)}>
          {texts.goBack}
        </Button>
      </div>
      {asked.problem !== undefined && (
        <Failure title={asked.problem.message} retry={texts.retry} onRetry={asked.again} />
      )}
      {asked.value === undefined ? (
        asked.isAsking && <Skeleton lines={6} label={texts.loading} />
      ) : (
        <>
          <header className="ma-review-head">
            <p className="ma-strong ma-wrap" dir="auto">
              {oneLine(asked.value.version.message.split('\n', 1)[0] ?? '')}
            </p>
            <p className="ma-quiet">
              <code>{commit.slice(0, 7)}</code> <Time at={asked.value.version.at} />
            </p>
          </header>
          {asked.value.more > 0 && <p className="ma-warning">{texts.versionMore(asked.value.more)}</p>}
          <DiffView files={asked.value.files} />
        </>
      )}
      {isAsked && (
        <Confirm
          title={texts.goBackTitle}
          body={texts.goBackBody}
          onSafe={() => setAsked(false)}
          answers={[{ label: texts.goBack, kind: 'primary', run: () => void back() }]}
        />
      )}
    </div>
  );
}

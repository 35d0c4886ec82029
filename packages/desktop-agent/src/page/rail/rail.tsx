import { oneLine } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import { VList } from 'virtua';
import type { App } from '../../shared/contract/index.ts';
import { useUi, useUiState } from '../app/ui.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Mark } from '../first/pictures.tsx';
import { Button, Failure, IconButton, Skeleton } from '../parts/controls.tsx';
import { useAgent, useAgentState, useApp } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { withCopies } from '../copies/of-app.ts';
import { ChatRow } from './chat-row.tsx';

const commandKeys = navigator.platform.startsWith('Mac') ? '⌘ K' : 'Ctrl K';

/** The apps, and the chats of the open app. */
export function Rail(): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const isDrawer = useUiState(({ drawer }) => drawer);
  const waiting = useAgentState(({ waitingRuns }) => waitingRuns.length);
  const begin = (): void => void agent.newChat().then(() => ui.focusComposer());
  return (
    <nav className="ma-rail" aria-label={texts.rail}>
      <div className="ma-rail-head">
        <span className="ma-brand">
          <Mark />
          {texts.product}
        </span>
        {isDrawer && <IconButton icon="cross" label={texts.hideRail} onClick={() => ui.set({ drawer: false })} />}
      </div>
      <AppPicker />
      <Button icon="plus" className="ma-new-chat" onClick={begin}>
        {texts.newChat}
      </Button>
      <Chats />
      {waiting > 0 && (
        <Button icon="question" className="ma-waiting" onClick={() => ui.set({ dialog: 'waiting', drawer: false })}>
          {texts.waiting(waiting)}
        </Button>
      )}
      <div className="ma-rail-foot">
        <Button icon="gear" className="ma-flat" onClick={() => ui.set({ dialog: 'settings', drawer: false })}>
          {texts.settings}
        </Button>
        <kbd className="ma-quiet" dir="ltr">
          {commandKeys}
        </kbd>
      </div>
    </nav>
  );
}

/** A native `<select>`, which keyboards, screen readers and phones already support. */
function AppPicker(): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const apps = useAgentState((state) => state.apps);
  const app = useApp();
  const [removed, setRemoved] = useState<App>();
  const choose = (value: string): void => {
    if (value === 'add') ui.set({ dialog: 'folder', drawer: false });
    else if (value === 'new') ui.set({ dialog: 'new-app', drawer: false });
    else void agent.openApp(value);
  };
  return (
    <div className="ma-app-picker">
      <select
        className="ms-input ma-select"
        aria-label={texts.app}
        title={app?.path}
        value={app?.id ?? ''}
        onChange={(event) => choose(event.target.value)}
      >
        {withCopies(apps).map(({ id, name, isBelow }) => (
          <option key={id} value={id}>
            {isBelow && '\u2003'}
            {oneLine(name)}
          </option>
        ))}
        <option value="new">{texts.newApp}</option>
        <option value="add">{texts.addApp}</option>
      </select>
      {app !== undefined && (
        <IconButton
          icon="pencil"
          label={texts.manageApp(oneLine(app.name))}
          onClick={() => ui.set({ dialog: 'app', drawer: false })}
        />
      )}
      {app !== undefined && (
        <IconButton icon="cross" label={texts.removeApp(oneLine(app.name))} onClick={() => setRemoved(app)} />
      )}
      {removed !== undefined && (
        <Confirm
          title={texts.removeAppTitle(oneLine(removed.name))}
          body={texts.removeAppBody}
          onSafe={() => setRemoved(undefined)}
          answers={[
            {
              label: texts.removeAppDo,
              kind: 'danger',
              run: () => {
                setRemoved(undefined);
                void agent.attempt(() => agent.call('remove-app', { appId: removed.id }));
              },
            },
          ]}
        />
      )}
    </div>
  );
}

function Chats(): ReactElement {
  const agent = useAgent();
  const chats = useAgentState((state) => state.chats);
  const problem = useAgentState((state) => state.chatsProblem);
  const appId = useAgentState((state) => state.appId);
  const chatId = useAgentState((state) => state.chatId);
  if (chats === undefined) {
    if (problem === undefined) return <Skeleton lines={4} label={texts.loading} />;
    return <Failure title={problem.message} retry={texts.retry} onRetry={() => void agent.openApp(appId)} />;
  }
  if (chats.length === 0) return <p className="ma-quiet ma-rail-note">{texts.noChats}</p>;
  const open = chats.findIndex(({ id }) => id === chatId);
  return (
    <div className="ma-chats" role="group" aria-label={texts.chats}>
      <VList data={chats} itemSize={32} keepMounted={open === -1 ? [] : [open]}>
        {(chat) => <ChatRow key={chat.id} chat={chat} isOpen={chat.id === chatId} />}
      </VList>
    </div>
  );
}

import { Icon } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import { ChatScreen } from '../chat/chat-screen.tsx';
import { ErrorBoundary } from '../parts/error-boundary.tsx';
import { Panel } from '../panel/panel.tsx';
import { Rail } from '../rail/rail.tsx';
import { useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { useUi, useUiState } from './ui.ts';
import { TopBar } from './top-bar.tsx';

/** Rail, chat and panel. The stylesheet decides which of them are beside each other. */
export function Shell(): ReactElement {
  const ui = useUi();
  const rail = useUiState((state) => state.rail);
  const drawer = useUiState((state) => state.drawer);
  const panel = useUiState((state) => state.panel);
  return (
    <div
      className="ma-shell"
      data-rail={rail || undefined}
      data-drawer={drawer || undefined}
      data-panel={panel || undefined}
    >
      <button type="button" className="ma-skip ms-button" onClick={() => ui.focusComposer()}>
        {texts.skipToMessage}
      </button>
      <Rail />
      {drawer && <div className="ma-veil" onClick={() => ui.set({ drawer: false })} />}
      <div className="ma-middle">
        <Offline />
        <TopBar />
        <ErrorBoundary>
          <ChatScreen />
        </ErrorBoundary>
      </div>
      {panel && <Panel />}
    </div>
  );
}

function Offline(): ReactElement | null {
  const isOffline = useAgentState(({ connected }) => connected === false);
  const isOver = useAgentState((state) => state.isOver);
  return (
    <div role="status">
      {isOffline && (
        <p className="ma-offline">
          <Icon name="warning" />
          <span>
            {isOver ? (
              texts.over
            ) : (
              <>
                {texts.offline} <span className="ma-offline-hint">{texts.offlineHint}</span>
              </>
            )}
          </span>
        </p>
      )}
    </div>
  );
}

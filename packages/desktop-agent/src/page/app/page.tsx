import { ConsentDialog, FirstRunStrip, Printed } from '@mustard-sandbox/cards';
import { useEffect, useState, type ReactElement } from 'react';
import { FolderPicker } from '../first/folder-picker.tsx';
import { Welcome } from '../first/welcome.tsx';
import { ErrorBoundary } from '../parts/error-boundary.tsx';
import { Failure, Skeleton } from '../parts/controls.tsx';
import { Questions } from '../questions/questions.tsx';
import { SearchDialog } from '../search/search-dialog.tsx';
import { SettingsDialog } from '../settings/settings-dialog.tsx';
import { AppDialog } from '../starting/app-dialog.tsx';
import { DeletedDialog } from '../starting/deleted-dialog.tsx';
import { NewAppDialog } from '../starting/new-app-dialog.tsx';
import type { Agent } from '../state/page-agent.ts';
import { AgentProvider, useAgent, useAgentState } from '../state/use-agent.ts';
import { useDismissed } from '../state/use-dismissed.ts';
import { texts } from '../words/texts.ts';
import { WaitingDialog } from '../waiting/waiting-dialog.tsx';
import { CommandMenu } from './command-menu.tsx';
import { Shell } from './shell.tsx';
import { useShortcuts } from './shortcuts.ts';
import { Toasts } from './toasts.tsx';
import { BringInDialog } from '../copies/bring-in-dialog.tsx';
import { WorkInCopyDialog } from '../copies/work-in-copy-dialog.tsx';
import { createUi, UiProvider, useUiState } from './ui.ts';

/** The whole page over one agent. */
export function Page({ agent }: { agent: Agent }): ReactElement {
  const [ui] = useState(createUi);
  return (
    <ErrorBoundary>
      <AgentProvider value={agent}>
        <UiProvider value={ui}>
          <Screens />
        </UiProvider>
      </AgentProvider>
    </ErrorBoundary>
  );
}

function Screens(): ReactElement {
  const theme = useAgentState(({ settings }) => settings?.theme);
  const dialog = useUiState((ui) => ui.dialog);
  useShortcuts();
  useEffect(() => {
    if (theme === undefined || theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
  }, [theme]);
  return (
    <>
      <Content />
      {dialog === 'settings' && <SettingsDialog />}
      {dialog === 'commands' && <CommandMenu />}
      {dialog === 'folder' && <FolderPicker />}
      {dialog === 'waiting' && <WaitingDialog />}
      {dialog === 'new-app' && <NewAppDialog />}
      {dialog === 'app' && <AppDialog />}
      {dialog === 'deleted' && <DeletedDialog />}
      {dialog === 'search' && <SearchDialog />}
      {dialog === 'work-in-copy' && <WorkInCopyDialog />}
      {dialog === 'bring-in' && <BringInDialog />}
      <Asked />
      <Toasts />
    </>
  );
}

/** The oldest open question of any kind. Only one is shown at a time. */
function Asked(): ReactElement | null {
  const agent = useAgent();
  const question = useAgentState(({ questions }) => questions[0]);
  const [isStripGone, dismissStrip] = useDismissed('first-run');
  if (question === undefined) return null;
  if (question.kind !== 'script') return <Questions question={question} />;
  return <ConsentDialog queue={agent.consent} notice={!isStripGone && <FirstRunStrip onDismiss={dismissStrip} />} />;
}

function Content(): ReactElement {
  const agent = useAgent();
  const isLoaded = useAgentState(({ settings }) => settings !== undefined);
  const problem = useAgentState(({ startProblem }) => startProblem);
  const hasApps = useAgentState(({ apps }) => apps.length > 0);
  if (!isLoaded) {
    return (
      <main className="ma-start">
        {problem !== undefined ? (
          <Failure
            title={texts.startFailed}
            retry={texts.retry}
            {...(problem.code !== 'denied' && { onRetry: () => void agent.load() })}
          >
            <Printed text={problem.message} />
          </Failure>
        ) : (
          <div className="ma-late">
            <Skeleton lines={3} label={texts.connecting} />
            <p className="ma-quiet">{texts.connecting}</p>
          </div>
        )}
      </main>
    );
  }
  return hasApps ? <Shell /> : <Welcome />;
}

import { useEffect, useRef, type KeyboardEvent, type ReactElement } from 'react';
import { tabsOf, useUi, useUiState, type Tab } from '../app/ui.ts';
import { IconButton } from '../parts/controls.tsx';
import { ErrorBoundary } from '../parts/error-boundary.tsx';
import { useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { ChangesTab } from './changes-tab.tsx';
import { ContextTab } from './context-tab.tsx';
import { FilesTab } from './files-tab.tsx';
import { PreviewTab } from './preview/preview-tab.tsx';
import { ProblemsTab } from './problems-tab.tsx';
import { VersionsTab } from './versions-tab.tsx';
import { WorkspaceTab } from './workspace-tab.tsx';

const contents: Record<Tab, (props: { appId: string }) => ReactElement> = {
  changes: ChangesTab,
  preview: PreviewTab,
  files: FilesTab,
  versions: VersionsTab,
  context: ContextTab,
  problems: ProblemsTab,
  workspace: WorkspaceTab,
};

/** The panel beside the chat: changes, the app itself, files, versions, context, problems, and the workspace of commands. */
export function Panel(): ReactElement {
  const ui = useUi();
  const chosen = useUiState((state) => state.tab);
  const tab = useTabs().includes(chosen) ? chosen : 'changes';
  const appId = useAgentState((state) => state.appId);
  const Content = contents[tab];
  return (
    <aside className="ma-panel" aria-label={texts.panel}>
      <div className="ma-panel-head">
        <TabList tab={tab} />
        <IconButton icon="cross" label={texts.hidePanel} onClick={() => ui.set({ panel: false })} />
      </div>
      <div role="tabpanel" id="ma-tabpanel" aria-labelledby={`ma-tab-${tab}`} className="ma-panel-body">
        <ErrorBoundary resetKey={tab}>{appId !== undefined && <Content key={appId} appId={appId} />}</ErrorBoundary>
      </div>
    </aside>
  );
}

function useTabs(): readonly Tab[] {
  const bash = useAgentState(({ settings }) => settings?.bash === true);
  return tabsOf({ bash });
}

/** The tabs. The arrow keys choose among them, as in any list of tabs. */
function TabList({ tab }: { tab: Tab }): ReactElement {
  const ui = useUi();
  const tabs = useTabs();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [tab]);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    const forward = getComputedStyle(event.currentTarget).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const back = forward === 'ArrowLeft' ? 'ArrowRight' : 'ArrowLeft';
    const at = tabs.indexOf(tab);
    const to = { [forward]: at + 1, [back]: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const next = to === undefined ? undefined : tabs.at(to % tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    ui.set({ tab: next });
    list.current?.querySelector<HTMLElement>(`#ma-tab-${next}`)?.focus();
  };
  return (
    <div ref={list} role="tablist" aria-label={texts.panel} className="ma-tabs" onKeyDown={onKeyDown}>
      {tabs.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`ma-tab-${name}`}
          aria-selected={name === tab}
          aria-controls="ma-tabpanel"
          tabIndex={name === tab ? 0 : -1}
          onClick={() => ui.set({ tab: name })}
        >
          {texts.tabs[name]}
        </button>
      ))}
    </div>
  );
}

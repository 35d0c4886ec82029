import { oneLine } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import { IconButton } from '../parts/controls.tsx';
import { useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { useUi, useUiState } from './ui.ts';

/** The title of the chat, between the buttons that show the rail and the panel. */
export function TopBar(): ReactElement {
  const ui = useUi();
  const isRail = useUiState(({ rail }) => rail);
  const isDrawer = useUiState(({ drawer }) => drawer);
  const isPanel = useUiState(({ panel }) => panel);
  const title = useAgentState(({ open }) => open?.chat.title ?? '');
  return (
    <header className="ma-top-bar">
      <IconButton
        icon="rail"
        className="ma-rail-toggle"
        label={isRail ? texts.hideRail : texts.showRail}
        aria-expanded={isRail}
        onClick={() => ui.toggleRail()}
      />
      <IconButton
        icon="rail"
        className="ma-drawer-toggle"
        label={texts.showRail}
        aria-expanded={isDrawer}
        onClick={() => ui.toggleRail()}
      />
      <h1 className="ma-title" dir="auto" title={oneLine(title)}>
        {oneLine(title) || texts.product}
      </h1>
      <IconButton icon="search" label={texts.commandMenu} onClick={() => ui.set({ dialog: 'commands' })} />
      <IconButton
        icon="panel"
        label={isPanel ? texts.hidePanel : texts.showPanel}
        aria-expanded={isPanel}
        onClick={() => ui.set({ panel: !isPanel })}
      />
    </header>
  );
}

import { chatMode } from '../../shared/contract/index.ts';
import type { Tab, Ui } from '../app/ui.ts';
import type { Agent } from '../state/page-agent.ts';
import { texts } from '../words/texts.ts';

/** A command that runs as soon as it is chosen. Nothing is sent to the model. */
export interface SlashCommand {
  name: string;
  detail: string;
  run: () => void;
}

const tabs: readonly Tab[] = ['changes', 'files', 'versions', 'context', 'problems'];

/** @param withChat works with the open chat, or with a new one */
export function slashCommands(
  agent: Agent,
  ui: Ui,
  withChat: (work: (chatId: string) => void | Promise<void>) => Promise<void>,
): SlashCommand[] {
  return [
    ...chatMode.options.map((mode) => ({
      name: mode,
      detail: texts.modes[mode][1],
      run: () => void withChat((chatId) => agent.updateChat(chatId, { mode })),
    })),
    { name: 'new', detail: texts.newChat, run: () => void agent.newChat().then(() => ui.focusComposer()) },
    ...tabs.map((tab) => ({ name: tab, detail: texts.openTab(texts.tabs[tab]), run: () => ui.openTab(tab) })),
    { name: 'settings', detail: texts.settings, run: () => ui.set({ dialog: 'settings' }) },
  ];
}

import { oneLine } from '@mustard-sandbox/cards';
import type { App } from '../../shared/contract/index.ts';
import { appOf, mayBeCopied } from '../copies/of-app.ts';
import { saveAs } from '../download.ts';
import type { Agent } from '../state/page-agent.ts';
import { texts } from '../words/texts.ts';
import { tabsOf, type Ui } from './ui.ts';

export interface Command {
  id: string;
  label: string;
  run: () => void;
}

/** All that the menu offers now: commands, then the chats and the apps. */
export function commandsOf(agent: Agent, ui: Ui): Command[] {
  const { open, chats = [], apps, appId, chatId, settings } = agent.store.get();
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const shown = settings?.theme === 'system' ? (isDark ? 'dark' : 'light') : settings?.theme;
  const attempt = (work: () => Promise<unknown>) => () => void agent.attempt(work);
  return [
    { id: 'new', label: texts.newChat, run: () => void agent.newChat().then(() => ui.focusComposer()) },
    { id: 'write', label: texts.focusComposer, run: () => ui.focusComposer() },
    ...(open === undefined
      ? []
      : [
          ...(open.chat.streaming
            ? [
                {
                  id: 'stop',
                  label: texts.stopAnswer,
                  run: attempt(() => agent.call('chat:cancel', { chatId: open.chat.id })),
                },
              ]
            : [
                {
                  id: 'compact',
                  label: texts.compactChat,
                  run: attempt(() => agent.call('compact-chat', { chatId: open.chat.id })),
                },
              ]),
          { id: 'export', label: texts.exportChat, run: attempt(() => exportChat(agent, open.chat.id, false)) },
          { id: 'export-all', label: texts.exportWithFiles, run: attempt(() => exportChat(agent, open.chat.id, true)) },
          {
            id: 'delete',
            label: texts.deleteChat(oneLine(open.chat.title)),
            run: () => void agent.deleteChat(open.chat),
          },
        ]),
    ...tabsOf({ bash: settings?.bash === true }).map((tab) => ({
      id: `tab-${tab}`,
      label: texts.openTab(texts.tabs[tab]),
      run: () => ui.openTab(tab),
    })),
    { id: 'waiting', label: texts.waitingTitle, run: () => ui.set({ dialog: 'waiting' }) },
    { id: 'settings', label: texts.settings, run: () => ui.set({ dialog: 'settings' }) },
    {
      id: 'theme',
      label: texts.switchTheme,
      run: attempt(() => agent.updateSettings({ theme: shown === 'dark' ? 'light' : 'dark' })),
    },
    { id: 'search', label: texts.search, run: () => ui.set({ dialog: 'search' }) },
    { id: 'new-app', label: texts.newApp, run: () => ui.set({ dialog: 'new-app' }) },
    { id: 'folder', label: texts.addApp, run: () => ui.set({ dialog: 'folder' }) },
    ...apps
      .filter(({ id }) => id === appId)
      .map(({ name }) => ({
        id: 'app',
        label: texts.manageApp(oneLine(name)),
        run: () => ui.set({ dialog: 'app' as const }),
      })),
    ...copyCommands(apps, appId, ui),
    { id: 'deleted', label: texts.deletedApps, run: () => ui.set({ dialog: 'deleted' }) },
    ...chats
      .filter(({ id }) => id !== chatId)
      .map(({ id, title }) => ({
        id: `chat-${id}`,
        label: texts.goToChat(oneLine(title)),
        run: () => void agent.openChat(id).then(() => ui.focusComposer()),
      })),
    ...apps
      .filter(({ id }) => id !== appId)
      .map(({ id, name }) => ({
        id: `app-${id}`,
        label: texts.goToApp(oneLine(name)),
        run: () => void agent.openApp(id).then(() => ui.focusComposer()),
      })),
  ];
}

function copyCommands(apps: readonly App[], appId: string | undefined, ui: Ui): Command[] {
  const app = apps.find(({ id }) => id === appId);
  const source = appOf(app, apps);
  if (source !== undefined) {
    const label = texts.copyBring(oneLine(source.name));
    return [{ id: 'bring-in', label, run: () => ui.set({ dialog: 'bring-in' }) }];
  }
  if (!mayBeCopied(app)) return [];
  return [{ id: 'work-in-copy', label: texts.copyWork, run: () => ui.set({ dialog: 'work-in-copy' }) }];
}

/** The files of the app, each opened in the editor. */
export function fileCommands(paths: readonly string[], ui: Ui): Command[] {
  return paths.map((path) => ({
    id: `file-${path}`,
    label: texts.openFile(oneLine(path)),
    run: () => ui.openFile(path),
  }));
}

/** The commands that have each word of the query. Those whose label begins with the query come first. */
export function matching(commands: readonly Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const [first = ''] = words;
  const found = commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  const rank = ({ label }: Command): number => (label.toLowerCase().startsWith(first) ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b));
}

/** Has the browser save the chat as a file. */
async function exportChat(agent: Agent, chatId: string, attachments: boolean): Promise<void> {
  const { fileName, markdown } = await agent.call('export-chat', { chatId, attachments });
  saveAs(new Blob([markdown], { type: 'text/markdown' }), fileName);
  agent.toast({ kind: 'info', text: texts.exported(fileName) });
}

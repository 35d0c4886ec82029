import type { ConsentQueue, RunStore } from '@mustard-sandbox/cards';
import type { App, Chat, PageTransport, Settings } from '../../shared/contract/index.ts';
import type { AgentState, Toast } from './agent-state.ts';
import type { Store } from './store.ts';

/** The page's model of the server: its state and its requests. Screens read `store` and call the methods. */
export interface Agent {
  store: Store<AgentState>;
  call: PageTransport['invoke'];
  upload: PageTransport['upload'];
  download: PageTransport['download'];
  /** Questions about scripts, for the dialog of the cards. */
  consent: ConsentQueue;
  /** The runs of the open chat. */
  runs(): RunStore;
  /** Loads everything: at the start, and when the connection is back. */
  load(): Promise<void>;
  openApp(appId: string | undefined): Promise<void>;
  /** Puts an app on the list, because the event about it may come later. */
  takeApp(app: App): void;
  openChat(chatId: string | undefined): Promise<void>;
  newChat(): Promise<void>;
  /** The open chat, or a new one; `undefined` when that failed, and then a toast says why. */
  someChat(): Promise<Chat | undefined>;
  /** Changes a chat. The page shows the change at once, and takes it back if the server refuses it. */
  updateChat(chatId: string, change: Partial<Pick<Chat, 'mode' | 'model'>>): Promise<void>;
  deleteChat(chat: Chat): Promise<void>;
  updateSettings(change: Partial<Settings>): Promise<void>;
  loadModels(): Promise<void>;
  toast(toast: Omit<Toast, 'id'>): void;
  dismissToast(id: string): void;
  /** Does something and shows a failure in a toast. @returns whether it was done */
  attempt(work: () => Promise<unknown>): Promise<boolean>;
  close(): void;
}

/** Takes a chat off the list. If it was open, no chat is open then. */
export function forget(store: Store<AgentState>, agent: Agent, chatId: string): void {
  const { chats, chatId: open } = store.get();
  store.set({ chats: chats?.filter(({ id }) => id !== chatId) });
  if (open === chatId) void agent.openChat(undefined);
}

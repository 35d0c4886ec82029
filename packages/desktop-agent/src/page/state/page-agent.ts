import type { ConsentQueue, RunStore } from '@mustard-sandbox/cards';
import type { App, Chat, PageTransport, Settings } from '../../shared/contract/index.ts';
import type { AgentState, Toast } from './agent-state.ts';
import type { Store } from './store.ts';

/** The page's model of the server: what is known, and what can be asked for. Screens read `store` and call the rest. */
export interface Agent {
  store: Store<AgentState>;
  call: PageTransport['invoke'];
  upload: PageTransport['upload'];
  download: PageTransport['download'];
  /** Questions about scripts, as the dialog of the cards wants them. */
  consent: ConsentQueue;
  /** The runs of the chat that is open. */
  runs(): RunStore;
  /** Asks for all anew: at the start, and when the connection is back. */
  load(): Promise<void>;
  openApp(appId: string | undefined): Promise<void>;
  /** Puts an app on the list: the event about it may come later. */
  takeApp(app: App): void;
  openChat(chatId: string | undefined): Promise<void>;
  newChat(): Promise<void>;
  /** The chat that is open; a new one when none is. `undefined`: there is none, and a toast says why. */
  someChat(): Promise<Chat | undefined>;
  /** Shown at once, and taken back when the server does not take it. */
  updateChat(chatId: string, change: Partial<Pick<Chat, 'mode' | 'model'>>): Promise<void>;
  deleteChat(chat: Chat): Promise<void>;
  updateSettings(change: Partial<Settings>): Promise<void>;
  loadModels(): Promise<void>;
  toast(toast: Omit<Toast, 'id'>): void;
  dismissToast(id: string): void;
  /** Does something whose failure is told in a toast. Says whether it was done. */
  attempt(work: () => Promise<unknown>): Promise<boolean>;
  close(): void;
}

/** Takes a chat off the list, and opens none in its place when it was open. */
export function forget(store: Store<AgentState>, agent: Agent, chatId: string): void {
  const { chats, chatId: open } = store.get();
  store.set({ chats: chats?.filter(({ id }) => id !== chatId) });
  if (open === chatId) void agent.openChat(undefined);
}

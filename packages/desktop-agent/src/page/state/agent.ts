import { createConsentQueue, createRunStore } from '@mustard-sandbox/cards';
import type { Chat, PageTransport } from '../../shared/contract/index.ts';
import { texts } from '../words/texts.ts';
import { initialState } from './agent-state.ts';
import { listen } from './events.ts';
import { keptHere } from './keep.ts';
import { forget, type Agent } from './page-agent.ts';
import { problemOf } from './problem.ts';
import { createStore } from './store.ts';

export function createAgent(transport: PageTransport): Agent {
  const store = createStore(initialState);
  let runs = createRunStore();
  let toasts = 0;
  let someChat: Promise<Chat | undefined> | undefined;
  const call = transport.invoke.bind(transport);

  const agent: Agent = {
    store,
    call,
    upload: transport.upload.bind(transport),
    download: transport.download.bind(transport),
    consent: createConsentQueue(),
    runs: () => runs,

    async load() {
      try {
        // After a restart of the server, the previews are different.
        store.set({ ...(await call('get-state', {})), startProblem: undefined, previews: {} });
      } catch (error) {
        store.set({ startProblem: problemOf(error) });
        return;
      }
      const { appId, apps } = store.get();
      const known = (id: string | null | undefined): boolean => apps.some((app) => app.id === id);
      const wanted = [appId, keptHere.get('app') ?? undefined].find(known) ?? apps[0]?.id;
      await Promise.all([agent.loadModels(), agent.openApp(wanted)]);
    },

    async openApp(appId) {
      const isOther = appId !== store.get().appId;
      if (isOther) store.set({ appId, chats: undefined, chatsProblem: undefined, filesVersion: 0 });
      keptHere.set('app', appId ?? null);
      if (appId === undefined) return agent.openChat(undefined);
      try {
        const chats = await call('list-chats', { appId });
        if (store.get().appId !== appId) return;
        store.set({ chats, chatsProblem: undefined });
        const wanted = [store.get().chatId, keptHere.get(`chat:${appId}`)].find((id) => chats.some((c) => c.id === id));
        await agent.openChat(wanted ?? (isOther ? chats[0]?.id : undefined));
      } catch (error) {
        if (store.get().appId === appId) store.set({ chatsProblem: problemOf(error) });
      }
    },

    takeApp(app) {
      const { apps } = store.get();
      const isKnown = apps.some(({ id }) => id === app.id);
      store.set({ apps: isKnown ? apps.map((one) => (one.id === app.id ? app : one)) : [...apps, app] });
    },

    async openChat(chatId) {
      const { appId } = store.get();
      if (appId !== undefined) keptHere.set(`chat:${appId}`, chatId ?? null);
      if (chatId !== store.get().chatId) {
        runs = createRunStore();
        store.set({ chatId, open: undefined, openProblem: undefined });
      }
      if (chatId === undefined) return;
      try {
        const open = await call('get-chat', { chatId });
        if (store.get().chatId === chatId) store.set({ open, openProblem: undefined });
      } catch (error) {
        if (store.get().chatId === chatId) store.set({ openProblem: problemOf(error) });
      }
    },

    async newChat() {
      const { appId, open } = store.get();
      if (appId === undefined) return;
      await agent.attempt(async () => {
        const chat = await call('create-chat', { appId, ...(open !== undefined && { mode: open.chat.mode }) });
        // The event about the chat may have come first.
        const { chats = [] } = store.get();
        if (!chats.some(({ id }) => id === chat.id)) store.set({ chats: [chat, ...chats] });
        await agent.openChat(chat.id);
      });
    },

    // While a chat is being made, every caller gets the same one, so that two keys in a row make one chat.
    someChat: () => (someChat ??= findOrMakeChat(agent).finally(() => (someChat = undefined))),

    async updateChat(chatId, change) {
      const { open: before } = store.get();
      const show = (chat: Chat): void => {
        const { open } = store.get();
        if (open?.chat.id === chatId) store.set({ open: { ...open, chat } });
      };
      if (before?.chat.id === chatId) show({ ...before.chat, ...change });
      const isDone = await agent.attempt(async () => show(await call('update-chat', { chatId, ...change })));
      if (!isDone && before !== undefined) show(before.chat);
    },

    async deleteChat(chat) {
      await agent.attempt(async () => {
        const { undoUntil } = await call('delete-chat', { chatId: chat.id });
        forget(store, agent, chat.id);
        const restore = async (): Promise<void> => {
          const back = await call('restore-chat', { chatId: chat.id });
          const { chats = [] } = store.get();
          if (!chats.some(({ id }) => id === back.id)) store.set({ chats: [back, ...chats] });
          await agent.openChat(back.id);
        };
        agent.toast({
          kind: 'info',
          text: texts.chatDeleted(chat.title),
          until: Date.parse(undoUntil),
          action: { label: texts.undo, run: () => void agent.attempt(restore) },
        });
      });
    },

    async updateSettings(change) {
      const settings = await call('update-settings', change);
      store.set({ settings });
    },

    async loadModels() {
      store.set({ isLookingForModels: true });
      try {
        const { models, problems } = await call('list-models', {});
        store.set({ models, modelProblems: problems, isLookingForModels: false });
      } catch {
        // The picker says that there are no models, and asks again when it is opened.
        store.set({ models: store.get().models ?? [], isLookingForModels: false });
      }
    },

    toast(toast) {
      toasts += 1;
      store.set({ toasts: [...store.get().toasts, { ...toast, id: `toast-${toasts}` }].slice(-4) });
    },
    dismissToast: (id) => store.set({ toasts: store.get().toasts.filter((toast) => toast.id !== id) }),

    async attempt(work) {
      try {
        await work();
        return true;
      } catch (error) {
        agent.toast({ kind: 'error', text: problemOf(error).message });
        return false;
      }
    },
    close: () => stop(),
  };
  const stop = listen(agent, transport);
  // This waits for the connection, or reports why there will be none.
  void agent.load();
  return agent;
}

async function findOrMakeChat(agent: Agent): Promise<Chat | undefined> {
  const { store } = agent;
  const { appId, chats } = store.get();
  // In a page that has just loaded, the chats are still loading. A new chat would be an additional one.
  if (chats === undefined) await agent.openApp(appId);
  const { open, chatId } = store.get();
  if (open === undefined) await (chatId === undefined ? agent.newChat() : agent.openChat(chatId));
  return store.get().open?.chat;
}

import type { CardEvent, PendingConsent } from '@mustard-sandbox/cards';
import type { Chat, Message, PageTransport, Question } from '../../shared/contract/index.ts';
import { forget, type Agent } from './page-agent.ts';
import { askerOf } from '../questions/asker.ts';
import { dismiss } from './use-dismissed.ts';
import { withChunk, withMessage, withPart } from './messages.ts';
import { takeToolRun } from './tool-runs.ts';

/** Puts the events of the server into the store. @returns stops that */
export function listen(agent: Agent, transport: PageTransport): () => void {
  const { store } = agent;
  const ends = [
    listenToConnection(agent, transport),
    ...listenToChats(agent, transport),
    ...listenToQuestions(agent, transport),
    transport.on('tool-run:changed', ({ run }) => takeToolRun(store, run)),
    transport.on('tool-runs:waiting', ({ runs }) => store.set({ waitingRuns: runs })),
    transport.on('servers:changed', ({ servers }) => store.set({ servers })),
    transport.on('app:changed', ({ app }) => agent.takeApp(app)),
    transport.on('app:removed', ({ appId }) => {
      const apps = store.get().apps.filter(({ id }) => id !== appId);
      store.set({ apps });
      if (store.get().appId === appId) void agent.openApp(apps[0]?.id);
    }),
    transport.on('app:files-changed', ({ appId }) => {
      const { appId: open, filesVersion } = store.get();
      if (appId === open) store.set({ filesVersion: filesVersion + 1 });
    }),
    transport.on('git:progress', (gitProgress) => store.set({ gitProgress })),
    ...listenToPreviews(agent, transport),
    transport.on('models:changed', () => void agent.loadModels()),
    transport.on('settings:changed', ({ settings }) => store.set({ settings })),
    transport.on('notice', ({ text, kind }) => agent.toast({ kind, text })),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function listenToPreviews({ store }: Agent, transport: PageTransport): (() => void)[] {
  const isOpen = (appId: string): boolean => store.get().appId === appId;
  return [
    transport.on('preview:changed', ({ preview }) => {
      store.set({ previews: { ...store.get().previews, [preview.appId]: preview } });
    }),
    transport.on('preview:printed', ({ appId }) => {
      if (isOpen(appId)) store.set({ previewPrinted: store.get().previewPrinted + 1 });
    }),
    transport.on('preview:reload', ({ appId }) => {
      if (isOpen(appId)) store.set({ previewReloads: store.get().previewReloads + 1 });
    }),
  ];
}

/** Before the first connection, `connected` stays `undefined`. */
function listenToConnection(agent: Agent, transport: PageTransport): () => void {
  const { store } = agent;
  return transport.onConnection((connected) => {
    const { connected: before } = store.get();
    if (connected) {
      store.set({ connected, isOver: false });
      // Events sent while the page was not connected are lost, so it loads everything again.
      if (before === false) void agent.load();
    } else if (before !== undefined) {
      store.set({ connected });
      // A transport that reconnects keeps a request until it is connected. One that gave up refuses it at once.
      const refused = agent.call('get-state', {}).then(
        () => false,
        () => true,
      );
      const waits = new Promise<false>((resolve) => setTimeout(() => resolve(false)));
      void Promise.race([refused, waits]).then((isOver) => store.set({ isOver }));
    }
  });
}

function listenToChats(agent: Agent, transport: PageTransport): (() => void)[] {
  const { store } = agent;
  /** Changes the messages of the open chat. If the change returns `undefined`, the chat is loaded again. */
  const change = (chatId: string, next: (messages: readonly Message[]) => readonly Message[] | undefined): void => {
    const { open } = store.get();
    if (open?.chat.id !== chatId) return;
    const messages = next(open.messages);
    if (messages === undefined) void agent.openChat(chatId);
    else if (messages !== open.messages) store.set({ open: { ...open, messages } });
  };
  const replace = (message: Message): void => change(message.chatId, (messages) => withMessage(messages, message));
  return [
    transport.on('chat:response:chunk', (chunk) => change(chunk.chatId, (messages) => withChunk(messages, chunk))),
    transport.on('chat:response:part', (part) => change(part.chatId, (messages) => withPart(messages, part))),
    transport.on('chat:response:end', ({ message }) => replace(message)),
    transport.on('chat:response:error', ({ message }) => replace(message)),
    transport.on('chat:message', ({ message }) => replace(message)),
    transport.on('chat:run', ({ chatId, event }) => {
      const told = event as CardEvent;
      takeRerun(agent, chatId, event as RerunEvent);
      if (told.type === 'sandbox.tool.unused_with_attachment') {
        store.set({ modelHint: { chatId, message: told.message } });
      } else if (store.get().chatId === chatId) agent.runs().dispatch(told);
    }),
    transport.on('chat:changed', ({ chat }) => {
      const { appId, chats = [], open } = store.get();
      if (open?.chat.id === chat.id) store.set({ open: { ...open, chat } });
      const others = chats.filter(({ id }) => id !== chat.id);
      if (chat.appId === appId) store.set({ chats: sorted([chat, ...others]) });
      else if (others.length < chats.length) {
        // It goes on in a copy of the app, and who looks at it goes along.
        store.set({ chats: others });
        if (open?.chat.id === chat.id) void agent.openApp(chat.appId);
      }
    }),
    transport.on('chat:queue', ({ chatId, queue }) => {
      const { open } = store.get();
      if (open?.chat.id === chatId) store.set({ open: { ...open, queue } });
    }),
    transport.on('chat:deleted', ({ chatId }) => forget(store, agent, chatId)),
  ];
}

interface RerunEvent {
  type: string;
  runId: string;
  rerunOf?: string;
}

/** Stores which runs a person has started again. Their outcomes are in the run store. */
function takeRerun({ store }: Agent, chatId: string, { type, runId, rerunOf }: RerunEvent): void {
  const { open } = store.get();
  if (open?.chat.id !== chatId) return;
  const others = open.reruns.filter((rerun) => rerun.runId !== runId);
  if (type === 'card.called' && rerunOf !== undefined) {
    if (others.length === open.reruns.length)
      store.set({ open: { ...open, reruns: [...others, { runId, rerunOf, record: null }] } });
  } else if (type === 'card.gone' && others.length < open.reruns.length) {
    store.set({ open: { ...open, reruns: others } });
  }
}

function sorted(chats: Chat[]): Chat[] {
  return chats.sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
}

/** Questions about scripts go into the queue of the cards, the others stay in the state. */
function listenToQuestions(agent: Agent, transport: PageTransport): (() => void)[] {
  const { store, consent } = agent;
  const waiting = new Map<string, AbortController>();
  const ask = (question: Question): void => {
    if (question.kind !== 'script' || waiting.has(question.id)) return;
    const controller = new AbortController();
    waiting.set(question.id, controller);
    const { signal } = controller;
    const asker = askerOf(question);
    void consent.ask(question.request as PendingConsent['request'], { signal, asker }).then((answer) => {
      waiting.delete(question.id);
      // The server closed it because another window has answered.
      if (signal.aborted) return undefined;
      // The question contained the strip.
      dismiss(agent, 'first-run');
      return agent.attempt(() => transport.invoke('answer-question', { id: question.id, answer }));
    });
  };
  const follow = store.subscribe(() => {
    const { questions } = store.get();
    for (const question of questions) ask(question);
    for (const [id, controller] of waiting) if (!questions.some((one) => one.id === id)) controller.abort();
  });
  return [
    follow,
    transport.on('question:asked', ({ question }) => {
      const { questions } = store.get();
      if (!questions.some(({ id }) => id === question.id)) store.set({ questions: [...questions, question] });
    }),
    transport.on('question:closed', ({ id }) => {
      store.set({ questions: store.get().questions.filter((question) => question.id !== id) });
    }),
  ];
}

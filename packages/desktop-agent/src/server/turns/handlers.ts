// The channels of turns.
import type { Handlers } from '../../shared/contract/index.ts';
import type { QueueStore } from '../chats/queue-store.ts';
import type { AppliedTurns } from '../versions/applied-turns.ts';
import type { Approvals } from './proposals/approvals.ts';
import type { Reruns } from './reruns.ts';
import type { TurnServices } from './turn.ts';
import type { Turns } from './turns.ts';

type Names =
  | 'chat:stream'
  | 'chat:cancel'
  | 'compact-chat'
  | 'queue-message'
  | 'edit-queued'
  | 'remove-queued'
  | 'send-queued'
  | 'get-chat'
  | 'approve-proposal'
  | 'reject-proposal'
  | 'read-proposed-file'
  | 'edit-proposed-file'
  | 'answer-question'
  | 'rerun-script'
  | 'stop-script'
  | 'read-output'
  | 'read-rows'
  | 'list-models'
  | 'reset-workspace';

/** After a chat was opened, and when that is on the screen. */
const warmAfterMs = 300;
let isWarming = false;

/** Loads what answers are made with, which takes half a second: the first answer shall not wait for it. */
function warm(): void {
  if (isWarming) return;
  isWarming = true;
  // What fails here fails the first answer again, and is told there.
  setTimeout(() => void import('./fill-answer.ts').catch(() => {}), warmAfterMs).unref();
}

interface Needed {
  services: TurnServices;
  queue: QueueStore;
  turns: Turns;
  approvals: Approvals;
  underWay: Reruns;
  refresh: AppliedTurns['refresh'];
}

export function turnHandlers({ services, queue, turns, approvals, underWay, refresh }: Needed): Pick<Handlers, Names> {
  const { chats, apps, reruns, runs, toolRuns, questions, models, workspaces } = services;
  const tellQueue = async (chatId: string): Promise<Record<string, never>> => {
    services.broadcast('chat:queue', { chatId, queue: await queue.list(chatId) });
    return {};
  };
  return {
    'queue-message': async (sent) => {
      await turns.enqueue(sent);
      return {};
    },
    'edit-queued': async ({ chatId, id, text }) => {
      await queue.edit(chatId, id, text);
      return await tellQueue(chatId);
    },
    'remove-queued': async ({ chatId, id }) => {
      await queue.remove(chatId, id);
      return await tellQueue(chatId);
    },
    'send-queued': async ({ chatId, id }) => {
      await turns.sendNow({ chatId, queuedId: id });
      return {};
    },
    'chat:stream': async (sent) => await turns.start(sent),
    'compact-chat': async ({ chatId }) => await turns.compact(chatId),
    'chat:cancel': async ({ chatId }) => {
      await turns.cancel(chatId);
      return {};
    },
    'get-chat': async ({ chatId }) => {
      await refresh(chatId);
      // First: one that ends meanwhile is among those that are stored.
      const started = runs.reruns(chatId);
      const [chat, messages, stored, ran, waiting] = await Promise.all([
        chats.get(chatId),
        chats.listMessages(chatId),
        reruns.list(chatId),
        toolRuns.list(chatId),
        queue.list(chatId),
      ]);
      const ended = new Set(stored.map(({ runId }) => runId));
      // What streams is further than what is saved of it, and cards of scripts that run have their events anew.
      const current = turns.current(chatId);
      runs.replay(chatId);
      warm();
      return {
        chat,
        messages: messages.map((message) => (message.id === current?.id ? current : message)),
        reruns: [...stored, ...started.filter(({ runId }) => !ended.has(runId))],
        toolRuns: ran,
        queue: waiting,
      };
    },
    'approve-proposal': async ({ chatId, messageId, ...approved }) =>
      await approvals.approve(chatId, messageId, approved),
    'read-proposed-file': async ({ chatId, messageId, path }) => await approvals.read(chatId, messageId, path),
    'edit-proposed-file': async ({ chatId, messageId, ...edited }) => await approvals.edit(chatId, messageId, edited),
    'reject-proposal': async ({ chatId, messageId }) => await approvals.reject(chatId, messageId),
    'answer-question': async ({ id, answer }) => {
      questions.answer(id, answer);
      return {};
    },
    'rerun-script': async ({ chatId, runId }) => {
      const app = await apps.get((await chats.get(chatId)).appId);
      return { runId: await underWay.begin({ chatId, app, runId }) };
    },
    'stop-script': async ({ chatId, runId }) => {
      underWay.stop(chatId, runId);
      return {};
    },
    'read-output': async ({ chatId, runId }) => {
      const { readOutput } = await import('./scripts.ts');
      return { text: await readOutput(services, { chatId, runId }) };
    },
    'read-rows': async ({ chatId, ...asked }) => {
      const app = await apps.get((await chats.get(chatId)).appId);
      const { readRows } = await import('./rows.ts');
      return await readRows(services, { chatId, app, ...asked });
    },
    'list-models': async () => await models.list(),
    'reset-workspace': async ({ chatId }) => {
      await workspaces.remove((await chats.get(chatId)).id);
      return {};
    },
  };
}

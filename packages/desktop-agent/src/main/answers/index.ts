// The answers of the program: what makes them, and the channels that belong to them.
import { join } from 'node:path';
import type { BackendName } from '@mustard-sandbox/bash-tools';
import type { Handlers, Question } from '../../contract/index.ts';
import { newTitle } from '../chats/handlers.ts';
import { Models, type ModelsOptions } from '../model/models.ts';
import { findProblems } from '../problems/find-problems.ts';
import type { Services } from '../services.ts';
import { Turns } from '../versions/turns.ts';
import { workspaceRoom } from '../workspace/handlers.ts';
import { Allowances } from './allowances.ts';
import { Answers } from './answers.ts';
import { BashWorkspaces, type BashStatus } from './bash-workspaces.ts';
import { Approvals } from './proposals/approvals.ts';
import { recoverCut, type CutAnswer } from './proposals/recover-cut.ts';
import { Questions } from './questions.ts';
import { Reruns } from './reruns.ts';
import { Runs } from './runs.ts';
import { Sandboxes } from './sandboxes.ts';
import type { AnswerServices } from './turn.ts';

type Names =
  | 'chat:stream'
  | 'chat:cancel'
  | 'get-chat'
  | 'approve-proposal'
  | 'reject-proposal'
  | 'answer-question'
  | 'rerun-script'
  | 'stop-script'
  | 'read-output'
  | 'list-models'
  | 'reset-workspace'
  | 'list-workspace-files'
  | 'read-workspace-file'
  | 'take-over-workspace';

export interface AnswerOptions {
  /** Where models are looked for, if not at their usual places. */
  models?: Pick<ModelsOptions, 'local' | 'urls'>;
  /** Where commands run, if not in a jail of this machine. */
  bash?: { backend?: BackendName; env?: NodeJS.ProcessEnv };
  /** How long a proposal may be type-checked. Default: a minute. */
  checkMs?: number;
}

/** After a chat was opened, and when that is on the screen. */
const warmAfterMs = 300;
let isWarming = false;

/** Loads what answers are made with, which takes half a second: the first answer shall not wait for it. */
function warm(): void {
  if (isWarming) return;
  isWarming = true;
  // What fails here fails the first answer again, and is told there.
  setTimeout(() => void import('./answer.ts').catch(() => {}), warmAfterMs).unref();
}

/** What the rest of the program needs of its answers. */
export interface AnswerRoom extends AsyncDisposable {
  handlers: Pick<Handlers, Names>;
  /** Those that wait for a person. */
  questions: () => Question[];
  bashStatus: () => Promise<BashStatus>;
  /** Before a chat is deleted: nothing of it runs any more. */
  stop: (chatId: string) => Promise<void>;
  /** A file of the workspace of a chat. */
  download: (chatId: string, path: string) => Promise<Buffer>;
  /** What is kept of a chat that is gone for good. */
  forget: (chatId: string) => Promise<void>;
  /** At the start, before a page can ask: ends what a crash has cut. @param cut the answers that were under way */
  recover: (cut: readonly CutAnswer[]) => Promise<void>;
}

export function createAnswers(services: Services, options: AnswerOptions): AnswerRoom {
  const { apps, chats, uploads, settings, keys, versions, context, broadcast, log, dataDir } = services;
  const onError = (what: string, error: unknown): void => {
    // Providers repeat keys and contents in their errors: the kind and the place are logged, not the words.
    const { name, code, stack } = (error ?? {}) as { name?: unknown; code?: unknown; stack?: string };
    log.error(
      {
        name,
        code,
        at: stack
          ?.split('\n')
          .filter((line) => /^\s+at /.test(line))
          .slice(0, 12),
      },
      what,
    );
  };
  const questions = new Questions(broadcast, async (chatId) => {
    const { appId, title } = await chats.get(chatId);
    return { app: (await apps.get(appId)).name, chat: title };
  });
  const allowances = new Allowances();
  const runs = new Runs(broadcast);
  const tellSandbox = async (appId: string, event: Parameters<Runs['tell']>[1]): Promise<void> => {
    for (const { id } of await chats.list(appId)) runs.tell(id, event);
  };
  const sandboxes = new Sandboxes(join(dataDir, 'media'), (appId, event) => {
    tellSandbox(appId, event).catch((error: unknown) => onError('pages were not told of the sandbox', error));
  });
  const workspaces = new BashWorkspaces({ dataDir, chats, ...options.bash });
  const models = new Models({
    baseUrl: async () => (await settings.get()).baseUrl,
    serverModel: async () => (await settings.get()).serverModel,
    key: async (provider) => (await keys.get(provider)) ?? null,
    tour: async () => new (await import('../model/tour.ts')).TourModel(),
    ...options.models,
  });
  const approvals = new Approvals({ chats, apps, versions, broadcast, notices: services.notices, onError });
  const all: AnswerServices = {
    chats,
    apps,
    settings,
    models,
    questions,
    allowances,
    runs,
    sandboxes,
    workspaces,
    context,
    findProblems: async ({ id, path }, overlay, signal) =>
      await findProblems(path, {
        overlay,
        signal,
        allowUnjailed: await apps.allowsUnjailed(id),
        timeoutMs: options.checkMs,
      }),
    attachments: (chatId) => uploads.storeOf(chatId),
    sent: (chatId) => uploads.sentTo(chatId),
    broadcast,
    onError,
  };
  const turns = new Turns(services);
  const refreshTurns = async (chatId: string): Promise<void> => {
    // A repository that cannot be read now keeps nobody from the chat.
    await turns.refresh(chatId).catch((error: unknown) => onError('the versions of a chat were not looked for', error));
  };
  const answers = new Answers({
    ...all,
    refreshTurns,
    newTitle,
    approve: async (chatId, messageId) => await approvals.approve(chatId, messageId),
    attachTourLog: async (chatId) => {
      const { tourLogName, withTourLog } = await import('../model/tour-log.ts');
      return await withTourLog(async (path) => (await uploads.add(chatId, path, tourLogName)).id);
    },
  });
  const isAnswering = (chatId: string): boolean => answers.current(chatId) !== undefined;
  const workspace = workspaceRoom({ apps, chats, broadcast, workspaces, isAnswering });
  const reruns = new Reruns(all);
  return {
    handlers: {
      ...workspace.handlers,
      'chat:stream': async (question) => await answers.start(question),
      'chat:cancel': async ({ chatId }) => {
        await answers.cancel(chatId);
        return {};
      },
      'get-chat': async ({ chatId }) => {
        await refreshTurns(chatId);
        const [chat, messages] = await Promise.all([chats.get(chatId), chats.listMessages(chatId)]);
        // What streams is further than what is saved of it, and cards of scripts that run have their events anew.
        const current = answers.current(chatId);
        runs.replay(chatId);
        warm();
        return { chat, messages: messages.map((message) => (message.id === current?.id ? current : message)) };
      },
      'approve-proposal': async ({ chatId, messageId }) => await approvals.approve(chatId, messageId),
      'reject-proposal': async ({ chatId, messageId }) => await approvals.reject(chatId, messageId),
      'answer-question': async ({ id, answer }) => {
        questions.answer(id, answer);
        return {};
      },
      'rerun-script': async ({ chatId, runId }) => {
        const app = await apps.get((await chats.get(chatId)).appId);
        await reruns.begin({ chatId, app, runId });
        return {};
      },
      'stop-script': async ({ chatId, runId }) => {
        reruns.stop(chatId, runId);
        return {};
      },
      'read-output': async ({ chatId, runId }) => {
        const { readOutput } = await import('./scripts.ts');
        return { text: await readOutput(all, { chatId, runId }) };
      },
      'list-models': async () => await models.list(),
      'reset-workspace': async ({ chatId }) => {
        await workspaces.remove((await chats.get(chatId)).id);
        return {};
      },
    },
    questions: () => questions.list(),
    bashStatus: async () => await workspaces.status(await settings.get()),
    stop: async (chatId) => void (await Promise.all([answers.cancel(chatId), reruns.stopAll(chatId)])),
    download: workspace.download,
    forget: async (chatId) => {
      allowances.forget(chatId);
      await workspaces.remove(chatId);
    },
    recover: async (cut) => {
      await recoverCut(cut, { chats, apps, onError });
      await approvals.recover();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([answers[Symbol.asyncDispose](), reruns[Symbol.asyncDispose]()]);
      await approvals.settled();
      await sandboxes[Symbol.asyncDispose]();
      await workspaces[Symbol.asyncDispose]();
    },
  };
}

// Puts together what turns are made with.
import { join } from 'node:path';
import type { BackendName } from '@mustard-sandbox/bash-tools';
import type { FileSource, Question, WaitingRun } from '../../shared/contract/index.ts';
import { ChatCopies } from '../chats/copies.ts';
import { headOf, newTitle } from '../chats/handlers.ts';
import { Models, type ModelsOptions } from '../models/models.ts';
import { findProblems } from '../checks/find-problems.ts';
import type { Services } from '../services.ts';
import { mcpRoom, type McpRoom } from '../mcp/room.ts';
import { SavedFiles } from '../uploads/saved-files.ts';
import { AppliedTurns } from '../versions/applied-turns.ts';
import { workspaceRoom } from '../workspace/handlers.ts';
import type { Consents } from '../consents/consents.ts';
import { BashWorkspaces, type BashStatus } from '../workspace/bash-workspaces.ts';
import { Approvals, type ApprovalsOptions } from './proposals/approvals.ts';
import { recoverCut, type CutAnswer } from './proposals/recover-cut.ts';
import { GoingOn } from './going-on/going-on.ts';
import { WorkPlans } from './plans/work-plans.ts';
import { Reruns } from './reruns.ts';
import { RunEvents } from './run-events.ts';
import { Sandboxes } from './sandboxes.ts';
import { turnHandlers } from './handlers.ts';
import { steeringHandlers } from './steering-handlers.ts';
import type { TurnServices } from './turn.ts';
import { Turns } from './turns.ts';

export interface TurnOptions {
  /** Where models are looked for, if not at their usual places. */
  models?: Pick<ModelsOptions, 'local' | 'urls'>;
  /** Where commands run, if not in a jail of this machine. */
  bash?: { backend?: BackendName; env?: NodeJS.ProcessEnv };
  /** How long a proposal may be type-checked. Default: a minute. */
  checkMs?: number;
}

/** What the rest of the program needs of its turns. */
export interface TurnRoom extends AsyncDisposable {
  handlers: ReturnType<typeof turnHandlers> &
    ReturnType<typeof steeringHandlers> &
    ReturnType<typeof workspaceRoom>['handlers'] &
    McpRoom['handlers'];
  /** Runs of scripts that wait for a person. */
  waitingRuns: () => readonly WaitingRun[];
  /** Those that wait for a person. */
  questions: () => Question[];
  bashStatus: () => Promise<BashStatus>;
  /** Before a chat is deleted: nothing of it runs any more. */
  stop: (chatId: string) => Promise<void>;
  /** A file of the workspace of a chat, one that its scripts have saved, or a picture of its messages. */
  download: (chatId: string, path: string, from: FileSource) => Promise<Buffer>;
  /** What is kept of a chat that is gone for good. */
  forget: (chatId: string) => Promise<void>;
  /** At the start, before a page can ask: ends what a crash has cut. @param cut the answers that were under way */
  recover: (cut: readonly CutAnswer[]) => Promise<void>;
}

/** What the rest of the program gives to its turns. */
interface Around extends Consents {
  onApplied: ApprovalsOptions['onApplied'];
}

export function assembleTurns(
  services: Services,
  options: TurnOptions,
  { questions, allowances, onApplied }: Around,
): TurnRoom {
  const { apps, chats, reruns, uploads, settings, keys, modelServers, modelOptions } = services;
  const { versions, broadcast, log, dataDir } = services;
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
  const runs = new RunEvents(broadcast);
  const tellSandbox = async (appId: string, event: Parameters<RunEvents['tell']>[1]): Promise<void> => {
    for (const { id } of await chats.list(appId)) runs.tell(id, event);
  };
  const saved = new SavedFiles(dataDir);
  const sandboxes = new Sandboxes([join(dataDir, 'media'), saved.folder], (appId, event) => {
    tellSandbox(appId, event).catch((error: unknown) => onError('pages were not told of the sandbox', error));
  });
  const workspaces = new BashWorkspaces({ dataDir, chats, ...options.bash });
  const models = new Models({
    servers: async () => await modelServers.open(),
    options: async () => await modelOptions.all(),
    key: async (provider) => (await keys.get(provider)) ?? null,
    tour: async () => new (await import('../models/tour.ts')).TourModel(),
    ...options.models,
  });
  const mcp = mcpRoom(services, onError);
  const { toolRuns, toolbox } = mcp;
  const { notices } = services;
  const approvals = new Approvals({ chats, apps, versions, broadcast, notices, onError, onApplied });
  const all: TurnServices = {
    chats,
    reruns,
    apps,
    settings,
    models,
    questions,
    allowances,
    runs,
    toolRuns,
    toolbox,
    sandboxes,
    saved,
    workspaces,
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
  const applied = new AppliedTurns(services);
  const refresh = async (chatId: string): Promise<void> => {
    // A repository that cannot be read now keeps nobody from the chat.
    await applied
      .refresh(chatId)
      .catch((error: unknown) => onError('the versions of a chat were not looked for', error));
  };
  const turns = new Turns({
    ...all,
    queue: services.queue,
    refreshTurns: refresh,
    newTitle,
    headOf,
    approve: async (chatId, messageId) => await approvals.approve(chatId, messageId),
    attachTourLog: async (chatId) => {
      const { tourLogName, withTourLog } = await import('../models/tour-log.ts');
      return await withTourLog(async (path) => (await uploads.add(chatId, path, tourLogName)).id);
    },
  });
  const plans = new WorkPlans({
    chats,
    broadcast,
    follow: async (chatId, approved) => await turns.follow(chatId, approved),
  });
  const isAnswering = (chatId: string): boolean => turns.current(chatId) !== undefined;
  const goingOn = new GoingOn({
    apps,
    chats,
    versions,
    broadcast,
    notices,
    copies: new ChatCopies({ database: services.database, uploads, saved }),
    isAnswering,
    send: async (queued) => await turns.start(queued),
  });
  const workspace = workspaceRoom({ apps, chats, broadcast, workspaces, isAnswering });
  const underWay = new Reruns(all);
  return {
    handlers: {
      ...mcp.handlers,
      ...workspace.handlers,
      ...steeringHandlers(plans, goingOn),
      ...turnHandlers({ services: all, queue: services.queue, turns, approvals, underWay, refresh }),
    },
    waitingRuns: () => toolRuns.waiting,
    questions: () => questions.list(),
    bashStatus: async () => await workspaces.status(await settings.get()),
    stop: async (chatId) =>
      void (await Promise.all([turns.cancel(chatId), underWay.stopAll(chatId), toolRuns.stop(chatId)])),
    download: async (chatId, path, from) => {
      if (from === 'picture') return await uploads.readPicture(chatId, path);
      return from === 'saved' ? saved.read((await chats.get(chatId)).id, path) : await workspace.download(chatId, path);
    },
    forget: async (chatId) => {
      allowances.forget(chatId);
      await toolRuns.forget(chatId);
      await workspaces.remove(chatId);
      await saved.remove(chatId);
    },
    recover: async (cut) => {
      await recoverCut(cut, { chats, apps, onError });
      await approvals.recover();
      // Not waited for: a server may take its time.
      void toolRuns.recover().catch((error: unknown) => onError('runs could not be recovered', error));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([turns[Symbol.asyncDispose](), underWay[Symbol.asyncDispose]()]);
      await toolRuns[Symbol.asyncDispose]();
      await approvals.settled();
      await sandboxes[Symbol.asyncDispose]();
      await workspaces[Symbol.asyncDispose]();
    },
  };
}

import { AgentError, type Handlers, type Message } from '../../shared/contract/index.ts';
import type { BashWorkspaces } from './bash-workspaces.ts';
import type { Services } from '../services.ts';
import { inWorker } from '../worker/index.ts';
import type { WorkspaceFiles } from './files.ts';

type Names = 'list-workspace-files' | 'read-workspace-file' | 'take-over-workspace';

export interface WorkspaceHandlersOptions extends Pick<Services, 'apps' | 'chats' | 'broadcast'> {
  workspaces: Pick<BashWorkspaces, 'find'>;
  /** Whether an answer is under way in a chat, whose commands may be writing. */
  isAnswering: (chatId: string) => boolean;
}

export interface WorkspaceRoom {
  handlers: Pick<Handlers, Names>;
  /** A whole file. @throws {AgentError} `not_found`, `unsafe_path`, `limit_exceeded` */
  download: (chatId: string, path: string) => Promise<Buffer>;
}

/** What a person can do with the files of a chat's workspace. */
export function workspaceRoom(options: WorkspaceHandlersOptions): WorkspaceRoom {
  const { chats, workspaces } = options;
  const open = async (chatId: string): Promise<WorkspaceFiles> => {
    const found = await workspaces.find((await chats.get(chatId)).id);
    if (found === undefined) throw noWorkspace();
    return await filesIn(found.folder);
  };
  return {
    handlers: {
      'list-workspace-files': async ({ chatId }) => {
        const found = await workspaces.find((await chats.get(chatId)).id);
        if (found === undefined) return { exists: false, files: [], truncated: false };
        return { exists: true, ...(await filesIn(found.folder)).list() };
      },
      'read-workspace-file': async ({ chatId, path }) => (await open(chatId)).show(path),
      'take-over-workspace': async ({ chatId }) => await takeOver(options, chatId),
    },
    download: async (chatId, path) => (await open(chatId)).download(path),
  };
}

async function takeOver(
  { apps, chats, broadcast, workspaces, isAnswering }: WorkspaceHandlersOptions,
  chatId: string,
): Promise<Message> {
  const { appId } = await chats.get(chatId);
  if (isAnswering(chatId)) throw new AgentError('busy', 'An answer is under way in this chat. Wait for its end.');
  const [app, found] = await Promise.all([apps.get(appId), workspaces.find(chatId)]);
  if (found === undefined) throw noWorkspace();
  const { changesOf } = await import('./take-over.ts');
  const { changes, notes } = await changesOf({ workspace: found.folder, app: app.path, base: found.base });
  const summary = 'Take over changes of the workspace';
  const proposed = await inWorker('propose', [app.path, { summary, changes, dependencies: [], commands: [] }]);
  const text = ['What commands changed in the workspace:', ...[...notes, ...proposed.notes].map((note) => `- ${note}`)];
  const [added] = (await chats.add({
    chatId,
    role: 'assistant',
    parts: [{ type: 'text', text: text.join('\n') }],
    state: 'complete',
  })) as [Message];
  if (changes.length > 0) await chats.updateMessage(added.id, { proposal: proposed.proposal, plan: proposed.plan });
  const message = await chats.getMessage(chatId, added.id);
  broadcast('chat:message', { message });
  return message;
}

/** Loaded at first use: it needs what makes diffs. */
async function filesIn(folder: string): Promise<WorkspaceFiles> {
  const { WorkspaceFiles } = await import('./files.ts');
  return new WorkspaceFiles(folder);
}

function noWorkspace(): AgentError {
  return new AgentError('not_found', 'This chat has no workspace yet. Its first command makes one.');
}

// execute_sandbox_script in a chat: its part of the message, its card, its consent.
import { randomUUID } from 'node:crypto';
import {
  createExecuteSandboxScriptTool,
  type AttachmentStore,
  type AttachmentTurn,
  type ConsentFunction,
  type ExecuteSandboxScriptArgs,
  type ExecuteSandboxScriptResult,
  type ExecuteSandboxScriptTool,
} from '@mustard-sandbox/agent-tool';
import { aiSdkTools } from '@mustard-sandbox/agent-tool/ai-sdk';
import type { ToolSet } from 'ai';
import type { App, Settings } from '../../../shared/contract/index.ts';
import type { Calls } from '../calls.ts';
import { questionTimeoutMs } from '../../consents/questions.ts';
import type { TurnServices, Turn } from '../turn.ts';
import { wordsOf } from '../words.ts';

type ScriptServices = Pick<
  TurnServices,
  'questions' | 'settings' | 'sandboxes' | 'saved' | 'runs' | 'attachments' | 'sent' | 'broadcast'
>;

/** The tool of one chat, as its settings are now. Close it at the end of the answer. */
export interface ChatScripts extends AsyncDisposable {
  tool: ExecuteSandboxScriptTool;
  store: AttachmentStore;
  /** Reads the settings anew: a person may change them while an answer is made. */
  refresh: () => Promise<void>;
}

/** @param workspace a folder that scripts read in place of the app, absolute */
export async function openScripts(
  services: ScriptServices,
  { chatId, app, workspace }: { chatId: string; app: App; workspace?: string },
): Promise<ChatScripts> {
  const { questions, settings, sandboxes, saved, runs } = services;
  const store = await services.attachments(chatId);
  let current = (await settings.get()).scripts;
  const consent: ConsentFunction = async (request, { signal }) => {
    const answer = await questions.ask({ kind: 'script', chatId, request }, signal);
    if (answer === 'allow-always') current = await allowAlways(services);
    return answer === 'allow-once' || answer === 'allow-always' ? answer : 'deny';
  };
  const own = workspace === undefined ? undefined : await sandboxes.ofWorkspace(app.id, workspace);
  const tool = createExecuteSandboxScriptTool({
    sandbox: own ?? (await sandboxes.of(app)),
    appPath: workspace ?? app.path,
    attachments: await services.sent(chatId),
    settings: () => current,
    consent,
    consentTimeoutMs: questionTimeoutMs,
    events: (event) => runs.tell(chatId, event),
    outputs: saved.folderOf(chatId),
  });
  return {
    tool,
    store,
    refresh: async () => void (current = (await settings.get()).scripts),
    async [Symbol.asyncDispose]() {
      await tool.close();
      await own?.close();
    },
  };
}

/** What the card says: all scripts, from now on, until the settings say otherwise. */
async function allowAlways({ settings, broadcast }: ScriptServices): Promise<Settings['scripts']> {
  const { scripts } = await settings.get();
  const updated = await settings.update({ scripts: { ...scripts, consent: 'always' } });
  broadcast('settings:changed', { settings: updated });
  return updated.scripts;
}

/** The tool for the model; empty while scripts are off. */
export function scriptTools(turn: Turn, scripts: ChatScripts, calls: Calls, attached: AttachmentTurn): ToolSet {
  const { execute_sandbox_script: adapted } = aiSdkTools(scripts.tool, { turn: attached });
  if (adapted === undefined) return {};
  return { execute_sandbox_script: { ...adapted, execute: executor(turn, scripts, calls, attached) } };
}

/** A tool for scripts over the workspace. The description of the other script tool explains the language. */
export function workspaceScriptTools(
  turn: Turn,
  scripts: ChatScripts,
  calls: Calls,
  attached: AttachmentTurn,
): ToolSet {
  const { execute_sandbox_script: adapted } = aiSdkTools(scripts.tool, { turn: attached });
  if (adapted === undefined) return {};
  const description =
    'Like execute_sandbox_script, but paths are those of /workspace, where bash works: for what commands made.';
  const execute = executor(turn, scripts, calls, attached, 'workspace');
  return { execute_workspace_script: { ...adapted, description, execute } };
}

type Executor = (
  args: ExecuteSandboxScriptArgs,
  options: { toolCallId: string },
) => Promise<ExecuteSandboxScriptResult>;

function executor(
  { live, chat, signal, services: { runs } }: Turn,
  scripts: ChatScripts,
  calls: Calls,
  turn: AttachmentTurn,
  root?: 'workspace',
): Executor {
  const place = root === undefined ? {} : { root };
  return async (args, { toolCallId }) => {
    await calls.seen(toolCallId, signal);
    await scripts.refresh();
    const runId = randomUUID();
    const index = live.add({ type: 'script', runId, record: null, ...place });
    const { script, description } = args;
    runs.tell(chat.id, { type: 'card.called', runId, script, ...(description !== undefined && { description }) });
    let result: ExecuteSandboxScriptResult;
    try {
      result = await scripts.tool.execute(args, { signal, turn, runId });
    } catch (error) {
      // Not the script's fault: its files cannot be reached. There is no record, so there is no card.
      runs.tell(chat.id, { type: 'card.gone', runId });
      const detail = wordsOf(error);
      const ending = signal.aborted ? { state: 'stopped' as const, detail: '' } : { state: 'failed' as const, detail };
      live.set(index, { type: 'tool', callId: runId, name: 'script', title: 'Run a script', ...ending });
      throw error;
    }
    const { record } = result;
    live.set(index, { type: 'script', runId, record, ...place });
    runs.tell(chat.id, { type: 'card.answered', runId, record });
    return result;
  };
}

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
import type { App, Settings } from '../../../contract/index.ts';
import type { Calls } from '../calls.ts';
import type { AnswerServices, Turn } from '../turn.ts';

type ScriptServices = Pick<
  AnswerServices,
  'questions' | 'settings' | 'sandboxes' | 'runs' | 'attachments' | 'broadcast'
>;

/** The tool of one chat, as its settings are now. Close it at the end of the answer. */
export interface ChatScripts extends AsyncDisposable {
  tool: ExecuteSandboxScriptTool;
  store: AttachmentStore;
  /** Reads the settings anew: a person may change them while an answer is made. */
  refresh: () => Promise<void>;
}

export async function openScripts(
  services: ScriptServices,
  { chatId, app }: { chatId: string; app: App },
): Promise<ChatScripts> {
  const { questions, settings, sandboxes, runs } = services;
  const store = await services.attachments(chatId);
  let current = (await settings.get()).scripts;
  const consent: ConsentFunction = async (request, { signal }) => {
    const answer = await questions.ask({ kind: 'script', chatId, request }, signal);
    if (answer === 'allow-always') current = await allowAlways(services);
    return answer === 'allow-once' || answer === 'allow-always' ? answer : 'deny';
  };
  const tool = createExecuteSandboxScriptTool({
    sandbox: await sandboxes.of(app),
    appPath: app.path,
    attachments: store,
    settings: () => current,
    consent,
    events: (event) => runs.tell(chatId, event),
  });
  return {
    tool,
    store,
    refresh: async () => void (current = (await settings.get()).scripts),
    [Symbol.asyncDispose]: () => tool.close(),
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
  const { live, chat, signal, services } = turn;
  const { execute_sandbox_script: adapted } = aiSdkTools(scripts.tool, { turn: attached });
  if (adapted === undefined) return {};
  const execute = async (
    args: ExecuteSandboxScriptArgs,
    { toolCallId }: { toolCallId: string },
  ): Promise<ExecuteSandboxScriptResult> => {
    await calls.seen(toolCallId, signal);
    await scripts.refresh();
    const runId = randomUUID();
    const index = live.add({ type: 'script', runId, record: null });
    const { script, description } = args;
    services.runs.tell(chat.id, {
      type: 'card.called',
      runId,
      script,
      ...(description !== undefined && { description }),
    });
    const result = await scripts.tool.execute(args, { signal, turn: attached, runId });
    const { record } = result;
    live.set(index, { type: 'script', runId, record });
    services.runs.tell(chat.id, { type: 'card.answered', runId, record });
    return result;
  };
  return { execute_sandbox_script: { ...adapted, execute } };
}

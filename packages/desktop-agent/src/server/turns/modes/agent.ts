// Agent: attachments stay on disk, and the model works with tools.
import { createAttachmentTurn } from '@mustard-sandbox/agent-tool';
import { requestedCommand, type Workspace } from '@mustard-sandbox/bash-tools';
import type { ModelMessage, ToolSet } from 'ai';
import type { Wanted } from '../../changes/index.ts';
import type { OpenedWorkspace } from '../../workspace/bash-workspaces.ts';
import { rulesFor } from '../app-files.ts';
import { Calls } from '../calls.ts';
import { historyOf } from '../history.ts';
import { Ticks } from '../plans/followed.ts';
import { stepTools } from '../plans/complete-step.ts';
import { prepareOnDisk } from '../prepare-message.ts';
import { offer } from '../proposals/offer.ts';
import { offerWhole } from '../proposals/whole.ts';
import { systemPrompt } from '../prompts.ts';
import { speak } from '../speak.ts';
import { bashTools } from '../tools/bash.ts';
import { fileTools } from '../tools/files.ts';
import { PendingChanges } from '../tools/pending-changes.ts';
import { openScripts, scriptTools, workspaceScriptTools, type ChatScripts } from '../tools/script.ts';
import { toolScripts } from '../tools/run-script.ts';
import { writeTools } from '../tools/writes.ts';
import { textOfMessage, type Answered, type Turn } from '../turn.ts';

/** How often the model may go on with tools before it has to have answered. */
export const maxSteps = 20;

export async function agent(turn: Turn): Promise<Answered> {
  const { app, chat, past, message, services, live } = turn;
  await using scripts = await openScripts(services, { chatId: chat.id, app });
  const prepared = await prepareOnDisk(turn, scripts);
  const attached = createAttachmentTurn({
    attachments: message.attachments.map(({ name }) => name),
    events: (event) => services.runs.tell(chat.id, event),
  });
  // Where the person forbids scripts it is not for the model to have read the file.
  if (!scripts.tool.isEnabled()) attached.markDenied();
  const calls = new Calls();
  const pending = new PendingChanges(app.path);
  const [sandbox, sent] = await Promise.all([services.sandboxes.of(app), services.sent(chat.id)]);
  const requested = requestedCommand(textOfMessage(turn));
  const opened = await openWorkspace(turn);
  const workspace = opened?.workspace;
  const conflicts = conflictsIn(opened);
  if (conflicts !== '') live.append('text', `${conflicts}\n\n`);
  const bash = opened === undefined ? undefined : bashTools(turn, opened, calls, requested);
  await using made = await workspaceScripts(turn, workspace);
  const tools: ToolSet = {
    ...scriptTools(turn, scripts, calls, attached),
    ...fileTools(turn, { sandbox, pending, sent, attached }, calls),
    ...writeTools(turn, pending, calls),
    ...(await toolScripts(turn, calls)),
    ...stepTools(turn, new Ticks(turn), calls),
    ...bash?.tools,
    ...(made && workspaceScriptTools(turn, made, calls, attached)),
  };
  const system = systemPrompt({
    mode: 'agent',
    rules: await rulesFor(turn, { skills: true }),
    files: '',
    ...(bash && { bash: [bash.prompt, conflicts].filter(Boolean).join('\n') }),
  });
  const messages = [...historyOf(past, { tools: true }), prepared];
  const forced = bash !== undefined && requested !== undefined;
  const { ended, text } = await speak(turn, {
    system,
    messages,
    tools,
    calls,
    maxSteps,
    ...(forced && { toolChoice: { type: 'tool' as const, toolName: 'bash' } }),
  }).catch(async (error: unknown) => {
    await offerWhole(turn, { summary: '', changes: pending.all, dependencies: [], commands: [] });
    throw error;
  });
  if (ended === 'steps') live.append('text', `\n\nStopped after ${maxSteps} steps. Send "go on" to continue.`);
  attached.end();
  const wanted = (): Wanted => ({ summary: summaryOf(text), changes: pending.all, dependencies: [], commands: [] });
  if (pending.isEmpty) return {};
  await offer(turn, wanted(), async (instruction) => {
    const before = [...messages, ...turn.said];
    const instructed: ModelMessage = { role: 'user', content: instruction };
    turn.said.push(instructed);
    await speak(turn, { system, messages: [...before, instructed], tools, calls, maxSteps });
    return wanted();
  });
  return {};
}

/** Where commands run, if the setting and its gates are open. */
async function openWorkspace({ services, settings, chat, app, signal }: Turn): Promise<OpenedWorkspace | undefined> {
  if (!settings.bash) return undefined;
  const { available } = await services.workspaces.status(settings);
  return available ? await services.workspaces.of(chat.id, app, settings, signal) : undefined;
}

/** For the person and the model. */
function conflictsIn(opened: OpenedWorkspace | undefined): string {
  const names = opened?.conflicts.map((path) => `\`${path}\``) ?? [];
  if (names.length === 0) return '';
  return `The app and the commands both changed ${names.join(', ')}, so the workspace keeps what the commands made. To work with the app's files there, reset the workspace.`;
}

/** Scripts over what commands made, where that is on this machine. */
async function workspaceScripts(
  { services, chat, app }: Turn,
  workspace: Workspace | undefined,
): Promise<ChatScripts | undefined> {
  if (workspace?.hostFolder === undefined) return undefined;
  return await openScripts(services, { chatId: chat.id, app, workspace: workspace.hostFolder });
}

/** What the commit says: the first sentence of the answer. */
function summaryOf(text: string): string {
  const [line = ''] = text.trim().split('\n');
  const sentence = /^.{1,71}?[.!?](?=\s|$)/.exec(line)?.[0] ?? line.slice(0, 72);
  return sentence.replace(/[.!?]$/, '').trim() || 'Change files';
}

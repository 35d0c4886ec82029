// Scripts of the past: run once more, or their whole outputs.
import { open } from 'node:fs/promises';
import { parseRecord, type ScriptRecord } from '@mustard-sandbox/agent-tool';
import { AgentError, type App, type Message } from '../../contract/index.ts';
import { openScripts } from './tools/script.ts';
import type { AnswerServices } from './turn.ts';

/** The longest that the tool keeps, and more than a page can show. */
const maxOutputBytes = 4 * 1024 * 1024;

interface PastScript {
  chatId: string;
  app: App;
  runId: string;
}

/**
 * Runs the script of a record again, with consent like any other. Pages hear of it as a run of its own.
 *
 * @returns once it has begun: its end, which is told by events
 * @throws {AgentError} `not_found` when the chat has no such record
 */
export async function rerunScript(
  services: AnswerServices,
  past: PastScript,
  newRunId: string,
  signal: AbortSignal,
): Promise<{ ended: Promise<void> }> {
  const { record, root } = findScript(await services.chats.listMessages(past.chatId), past.runId);
  if (root === undefined) return { ended: rerun(services, past, record, { runId: newRunId, signal }) };
  const workspace = await services.workspaces.find(past.chatId);
  if (workspace === undefined) {
    throw new AgentError('not_found', 'This script read the workspace of the chat, which is not there any more.');
  }
  return { ended: rerun(services, { ...past, workspace: workspace.folder }, record, { runId: newRunId, signal }) };
}

async function rerun(
  services: AnswerServices,
  { chatId, app, runId: rerunOf, workspace }: PastScript & { workspace?: string },
  record: ScriptRecord,
  { runId, signal }: { runId: string; signal: AbortSignal },
): Promise<void> {
  await using scripts = await openScripts(services, { chatId, app, ...(workspace !== undefined && { workspace }) });
  const { script, description } = record;
  services.runs.tell(chatId, {
    type: 'card.called',
    runId,
    script,
    rerunOf,
    ...(description !== undefined && { description }),
  });
  const result = await scripts.tool.rerun(record, { runId, signal });
  services.runs.tell(chatId, { type: 'card.answered', runId, record: result.record });
}

/**
 * The whole result of a script whose result was cut for the model.
 *
 * @throws {AgentError} `not_found`
 */
export async function readOutput(
  services: AnswerServices,
  { chatId, runId }: Omit<PastScript, 'app'>,
): Promise<string> {
  const { record } = findScript(await services.chats.listMessages(chatId), runId);
  if (!('result' in record)) throw new AgentError('not_found', 'This script gave no output.');
  const { fullOutput, text } = record.result;
  if (fullOutput === undefined) return text;
  const store = await services.attachments(chatId);
  const { path } = await store.resolve(fullOutput).catch((cause: unknown) => {
    throw new AgentError('not_found', 'The whole output is not there any more: it was cleaned up.', { cause });
  });
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(maxOutputBytes) });
  return buffer.subarray(0, bytesRead).toString('utf8');
}

function findScript(messages: readonly Message[], runId: string): { record: ScriptRecord; root?: 'workspace' } {
  for (const { parts } of messages) {
    const part = parts.find((one) => one.type === 'script' && one.runId === runId);
    if (part?.type !== 'script' || part.record === null) continue;
    return { record: parseRecord(part.record), ...(part.root !== undefined && { root: part.root }) };
  }
  throw new AgentError('not_found', 'This script is not in the chat any more, or it has not ended.');
}

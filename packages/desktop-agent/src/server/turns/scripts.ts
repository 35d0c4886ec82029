// Scripts of the past: run once more, or their whole outputs.
import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { parseRecord, type ScriptRecord } from '@mustard-sandbox/agent-tool';
import { AgentError, type App } from '../../shared/contract/index.ts';
import { openScripts } from './tools/script.ts';
import type { TurnServices } from './turn.ts';
import { wordsOf } from './words.ts';

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
  services: TurnServices,
  past: PastScript,
  newRunId: string,
  signal: AbortSignal,
): Promise<{ ended: Promise<void> }> {
  const { record, root, firstId } = await findScript(services, past);
  const begin = (workspace?: string): { ended: Promise<void> } => ({
    ended: rerun(services, { ...past, runId: firstId, ...(workspace !== undefined && { workspace }) }, record, {
      runId: newRunId,
      signal,
    }),
  });
  if (root === undefined) return begin();
  const workspace = await services.workspaces.find(past.chatId);
  if (workspace === undefined) {
    throw new AgentError('not_found', 'This script read the workspace of the chat, which no longer exists.');
  }
  return begin(workspace.folder);
}

/** Never rejects: who asked for it has had their answer, so a person is told what went wrong. */
async function rerun(
  services: TurnServices,
  { chatId, app, runId: rerunOf, workspace }: PastScript & { workspace?: string },
  record: ScriptRecord,
  { runId, signal }: { runId: string; signal: AbortSignal },
): Promise<void> {
  const { script, description } = record;
  services.runs.tell(chatId, {
    type: 'card.called',
    runId,
    script,
    rerunOf,
    ...(description !== undefined && { description }),
  });
  try {
    await using scripts = await openScripts(services, { chatId, app, ...(workspace !== undefined && { workspace }) });
    const result = await scripts.tool.rerun(record, { runId, signal });
    // Before it is told: a page that is loaded then finds it.
    await services.reruns
      .add(chatId, { runId, rerunOf, record: result.record })
      .catch((error: unknown) => services.onError('a script that was run again could not be saved', error));
    services.runs.tell(chatId, { type: 'card.answered', runId, record: result.record });
  } catch (error) {
    services.onError('a script could not be run again', error);
    services.runs.tell(chatId, { type: 'card.gone', runId });
    const text = `The script could not be run again: ${wordsOf(error)}`;
    services.broadcast('notice', { id: randomUUID(), text, kind: 'error' });
  }
}

/**
 * The whole result of a script whose result was cut for the model.
 *
 * @throws {AgentError} `not_found`
 */
export async function readOutput(services: TurnServices, { chatId, runId }: Omit<PastScript, 'app'>): Promise<string> {
  const { record } = await findScript(services, { chatId, runId });
  if (!('result' in record)) throw new AgentError('not_found', 'This script gave no output.');
  const { fullOutput, text } = record.result;
  if (fullOutput === undefined) return text;
  const store = await services.attachments(chatId);
  const { path } = await store.resolve(fullOutput).catch((cause: unknown) => {
    throw new AgentError('not_found', 'The whole output no longer exists: it was cleaned up.', { cause });
  });
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(maxOutputBytes) });
  return buffer.subarray(0, bytesRead).toString('utf8');
}

interface FoundScript {
  record: ScriptRecord;
  root?: 'workspace';
  /** The run of a message: this one, or the one that it repeats. */
  firstId: string;
}

async function findScript(
  { chats, reruns }: TurnServices,
  { chatId, runId }: Omit<PastScript, 'app'>,
): Promise<FoundScript> {
  const rerun = await reruns.find(chatId, runId);
  const firstId = rerun?.rerunOf ?? runId;
  for (const { parts } of await chats.listMessages(chatId)) {
    const part = parts.find((one) => one.type === 'script' && one.runId === firstId);
    if (part?.type !== 'script' || part.record === null) continue;
    const { root, record } = part;
    return { record: parseRecord(rerun?.record ?? record), firstId, ...(root !== undefined && { root }) };
  }
  throw new AgentError('not_found', 'This script is not in the chat any more, or it has not ended.');
}

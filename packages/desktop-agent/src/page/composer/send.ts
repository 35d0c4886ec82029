import type { AgentState } from '../state/agent-state.ts';
import type { Agent } from '../state/page-agent.ts';
import { texts } from '../words/texts.ts';
import { forgetPreview } from './attach.ts';
import { draftOf, type Draft } from './draft.ts';

/** The same as in the contract. */
const maxCharacters = 1_000_000;

/** Why the draft cannot be sent now; `undefined` when it can. */
export function whyNotSend({ text, files, isSending }: Draft, state: AgentState): string | undefined {
  const { whyNotSend: why } = texts;
  if (state.connected === false) return why.offline;
  if (isSending) return why.sending;
  if (files.some(({ problem }) => problem !== undefined)) return why.failed;
  if (files.some(({ uploadId }) => uploadId === undefined)) return why.storing;
  if (text.trim() === '' && files.length === 0) return why.empty;
  if (text.length > maxCharacters) return why.tooLong(text.length - maxCharacters);
  return undefined;
}

/**
 * Sends the draft of a chat, or queues it for the end of the answer that is under way. The draft is kept until the server has
 * saved it.
 */
export async function sendDraft(agent: Agent, chatId: string): Promise<void> {
  const draft = draftOf(chatId);
  const { text, files, isSending } = draft.get();
  // It may be the second of two keys in a row.
  if (isSending || (text.trim() === '' && files.length === 0)) return;
  const uploads = files.flatMap(({ uploadId }) => (uploadId === undefined ? [] : [uploadId]));
  draft.set({ isSending: true });
  // The answer may have ended just now. Then the server sends a queued message at once.
  const { open } = agent.store.get();
  const waits = open?.chat.id === chatId && open.chat.streaming;
  const isSent = await agent.attempt(() =>
    agent.call(waits ? 'queue-message' : 'chat:stream', { chatId, text, uploads }),
  );
  if (isSent) files.forEach(forgetPreview);
  // Text that was written meanwhile belongs to the next message.
  const after = draft.get();
  draft.set({
    isSending: false,
    ...(isSent && {
      text: after.text === text ? '' : after.text,
      files: after.files.filter((file) => !files.some(({ name }) => name === file.name)),
    }),
  });
}

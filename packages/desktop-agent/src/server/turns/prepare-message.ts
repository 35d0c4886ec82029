import { prepareUserMessage, type AttachmentSink, type PrepareUserMessageOptions } from '@mustard-sandbox/agent-tool';
import type { UserModelMessage } from 'ai';
import { toStored } from './history.ts';
import { mentionedIn } from './mentions.ts';
import { planFor } from './plans/followed.ts';
import type { ChatScripts } from './tools/script.ts';
import { NotSent, textOfMessage, type Turn } from './turn.ts';

/** Where attachments go: into the message, or to the store of the chat. */
type Mode = Pick<PrepareUserMessageOptions, 'mode' | 'scripting' | 'store'>;

/**
 * The message of the person as the model gets it, with its attachments and the plan that is followed, and kept with the
 * chat. A person is asked when they are large.
 *
 * @throws {NotSent} when the person declines
 */
export async function prepareMessage(turn: Turn, mode: Mode): Promise<UserModelMessage> {
  const { message, settings, signal, services, chat } = turn;
  const prepared = await prepareUserMessage({
    ...mode,
    text: textOfMessage(turn) + (await mentionedIn(turn)) + planFor(turn),
    attachments: message.attachments.flatMap(({ path, name, mediaType }) =>
      path === undefined ? [] : [{ path, name, mediaType }],
    ),
    sizePolicy: settings.sizePolicy,
    sizeThreshold: settings.sizeThreshold,
    sizePrompt: async (summary) => await services.questions.askSize(chat.id, summary, signal),
    signal,
  });
  if (prepared.status === 'cancelled') throw new NotSent();
  await services.chats.updateMessage(message.id, { modelMessages: toStored([prepared.message]) });
  return prepared.message;
}

/** The message with its attachments named in it; they are stored already, by the upload. */
export async function prepareOnDisk(turn: Turn, { tool, store }: ChatScripts): Promise<UserModelMessage> {
  const stored: AttachmentSink = {
    store: async (_source, name) => {
      const found = await store.resolve(`attachments:${name}`);
      // An output of a script is no attachment of a message.
      return found as Awaited<ReturnType<AttachmentSink['store']>>;
    },
  };
  return await prepareMessage(turn, { mode: 'local-agent', scripting: tool.isEnabled(), store: stored });
}

// Ask: the app's files and the attachments stand in the prompt, and there are no tools.
import { prepareUserMessage } from '@mustard-sandbox/agent-tool';
import type { UserModelMessage } from 'ai';
import { historyOf, toStored } from '../history.ts';
import { systemPrompt } from '../prompts.ts';
import { filesFor, rulesFor } from '../app-files.ts';
import { speak } from '../speak.ts';
import { NotSent, textOfQuestion, type Answered, type Turn } from '../turn.ts';

export async function ask(turn: Turn): Promise<Answered> {
  const { app, past } = turn;
  const message = await inlined(turn);
  const system = systemPrompt({ mode: 'ask', rules: rulesFor(app.path), files: await filesFor(turn) });
  const messages = [...historyOf(past, { tools: false }), message];
  await speak(turn, { system, messages, maxSteps: 1 });
  return {};
}

/**
 * The message with its attachments in it. A person is asked when they are large.
 *
 * @throws {NotSent}
 */
export async function inlined(turn: Turn): Promise<UserModelMessage> {
  const { question, settings, signal, services, chat } = turn;
  const prepared = await prepareUserMessage({
    mode: 'default-chat',
    text: textOfQuestion(turn),
    attachments: question.attachments.flatMap(({ path, name, mediaType }) =>
      path === undefined ? [] : [{ path, name, mediaType }],
    ),
    sizePolicy: settings.sizePolicy,
    sizePrompt: async (summary) => await services.questions.askSize(chat.id, summary, signal),
    signal,
  });
  if (prepared.status === 'cancelled') throw new NotSent();
  await services.chats.updateMessage(question.id, { modelMessages: toStored([prepared.message]) });
  return prepared.message;
}

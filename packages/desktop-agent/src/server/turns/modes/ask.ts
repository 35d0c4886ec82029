// Ask: the app's files and the attachments stand in the prompt, and there are no tools.
import { historyOf } from '../history.ts';
import { prepareMessage } from '../prepare-message.ts';
import { systemPrompt } from '../prompts.ts';
import { filesFor, rulesFor } from '../app-files.ts';
import { speak } from '../speak.ts';
import type { Answered, Turn } from '../turn.ts';

export async function ask(turn: Turn): Promise<Answered> {
  const { past } = turn;
  const message = await prepareMessage(turn, { mode: 'default-chat' });
  const system = systemPrompt({ mode: 'ask', rules: await rulesFor(turn), files: await filesFor(turn) });
  const messages = [...historyOf(past, { tools: false }), message];
  await speak(turn, { system, messages, maxSteps: 1 });
  return {};
}

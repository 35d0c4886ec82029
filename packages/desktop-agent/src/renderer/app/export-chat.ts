import type { Agent } from '../state/agent.ts';
import { texts } from '../words/texts.ts';

/** Has the browser save the chat as a file. */
export async function exportChat(agent: Agent, chatId: string, attachments: boolean): Promise<void> {
  const { fileName, markdown } = await agent.call('export-chat', { chatId, attachments });
  const address = URL.createObjectURL(new Blob([markdown], { type: 'text/markdown' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  // The browser reads it after the click; a minute is more than it needs.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  agent.toast({ kind: 'info', text: texts.exported(fileName) });
}

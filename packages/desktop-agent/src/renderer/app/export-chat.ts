import { saveAs } from '../download.ts';
import type { Agent } from '../state/agent.ts';
import { texts } from '../words/texts.ts';

/** Has the browser save the chat as a file. */
export async function exportChat(agent: Agent, chatId: string, attachments: boolean): Promise<void> {
  const { fileName, markdown } = await agent.call('export-chat', { chatId, attachments });
  saveAs(new Blob([markdown], { type: 'text/markdown' }), fileName);
  agent.toast({ kind: 'info', text: texts.exported(fileName) });
}

/**
 * Messages and answers as a chat keeps them.
 *
 * @param {{ add: (...messages: any[]) => Promise<unknown> }} chats
 */
export async function addTurns(chats, chatId, count) {
  const words = 'Some words of an answer, in **markdown**, with `code`. '.repeat(30);
  for (let turn = 0; turn < count; turn++) {
    const text = `${words} Answer ${turn}.`;
    await chats.add(
      { chatId, role: 'user', parts: [{ type: 'text', text: `Question ${turn}` }], state: 'complete' },
      { chatId, role: 'assistant', parts: [{ type: 'text', text }], state: 'complete' },
    );
  }
}

// The real tool behind the page: runs scripts, asks the page for consent, and tells it everything in one stream.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createExecuteSandboxScriptTool } from '@mustard-sandbox/agent-tool';

const outputName = /^attachments:(script-output-[0-9a-f]{16}\.txt)$/;

/**
 * @param {{ log: string, mediaDir: string, example: string }} options paths of the demo log and of the folder for what
 *   is kept; the script that is there at first
 */
export function createSession({ log, mediaDir, example }) {
  const listeners = new Set();
  const questions = new Map();
  const tell = (event) => {
    for (const listener of listeners) listener(event);
  };
  const tool = createExecuteSandboxScriptTool({
    attachments: [{ name: 'server.log', path: log }],
    mediaDir,
    limits: { timeoutMs: 5_000, instructions: 1e9 },
    consent: (request, { signal }) =>
      new Promise((resolve) => {
        const id = randomUUID();
        const settle = (answer) => {
          questions.delete(id);
          resolve(answer);
        };
        questions.set(id, settle);
        signal.addEventListener('abort', () => {
          tell({ type: 'gallery.withdraw', id });
          settle('deny');
        });
        tell({ type: 'gallery.ask', id, request });
      }),
    events: tell,
  });

  const methods = {
    async run({ script, description }) {
      const runId = randomUUID();
      const args = { script, ...(description !== undefined && { description }) };
      tell({ type: 'card.called', at: new Date().toISOString(), runId, ...args });
      const { record } = await tool.execute(args, { runId });
      tell({ type: 'card.answered', at: new Date().toISOString(), runId, record });
      return {};
    },
    async consent({ id, answer }) {
      questions.get(id)?.(answer);
      return {};
    },
    async example() {
      tell({ type: 'gallery.ready', example });
      return {};
    },
    /** The one kind of file that the page may read, by the name that a record has for it. */
    async output({ name }) {
      const [, file] = outputName.exec(String(name)) ?? [];
      if (file === undefined) throw new Error('That is no output of a script.');
      return { text: await readFile(join(mediaDir, file), 'utf8') };
    },
  };
  return {
    methods,
    /** @returns the function that ends it */
    listen(listener) {
      listeners.add(listener);
      listener({ type: 'gallery.ready', example });
      return () => listeners.delete(listener);
    },
    close: () => tool.close(),
  };
}

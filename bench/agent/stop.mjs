// How soon Stop ends what makes an answer: the model, a tool that waits for a person, a script.
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgram } from '../../packages/desktop-agent/dist/server/program.js';
import { openPage } from '../../stress/agent-program.mjs';

const rounds = 7;

/** What the model does until it is stopped: it streams for ever, or it calls this. */
const calls = {
  script: { name: 'execute_sandbox_script', arguments: JSON.stringify({ script: 'for (;;) {}' }) },
  tool: { name: 'write_file', arguments: JSON.stringify({ path: 'a.txt', content: 'a' }) },
};

/** @returns the title of the figures, the least that could be done, and the samples by name */
export async function measureStop() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-bench-stop-')));
  let call;
  const model = createServer((request, response) => {
    if (request.method === 'GET') return void response.end(JSON.stringify({ data: [{ id: 'm' }] }));
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    /** @param {object} delta @param {string | null} [finish_reason] */
    const send = (delta, finish_reason = null) =>
      response.write(`data: ${JSON.stringify({ id: '1', choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    response.once('close', () => model.emit('left'));
    if (call === undefined) return void send({ content: 'Words without end.' });
    send({ role: 'assistant', tool_calls: [{ index: 0, id: 'c1', type: 'function', function: call }] });
    send({}, 'tool_calls');
    response.end('data: [DONE]\n\n');
  });
  model.listen(0, '127.0.0.1');
  await once(model, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (model.address());
  const local = [{ url: `http://127.0.0.1:${port}/v1`, name: 'Model' }];
  const program = await startProgram({ dataDir: join(folder, 'data'), turns: { models: { local } } });
  try {
    let hear = (_frame) => {};
    const page = await openPage(new URL(program.url), (frame) => hear(frame));
    const appId = await program.addFolder(folder);
    await page.ask('update-settings', { scripts: { enabled: true, consent: 'always', timeoutMs: 10_000 } });
    const heard = (fits) => new Promise((resolve) => (hear = (frame) => fits(frame) && resolve(frame)));
    const stopped = async (begins, ends) => {
      const { id: chatId } = await page.ask('create-chat', { appId, mode: 'agent' });
      const begun = heard(begins);
      const { messageId } = await page.ask('chat:stream', { chatId, text: 'Go', uploads: [] });
      await begun;
      const ended = Promise.all([ends(), page.until('chat:response:end', ({ message }) => message.id === messageId)]);
      const startedAt = performance.now();
      await page.ask('chat:cancel', { chatId });
      await ended;
      return performance.now() - startedAt;
    };
    const kinds = {
      'a model that streams': [undefined, ({ event }) => event === 'chat:response:chunk', () => once(model, 'left')],
      'a tool that asks': [
        calls.tool,
        ({ event }) => event === 'question:asked',
        () => heard(({ event }) => event === 'question:closed'),
      ],
      'a script in a loop': [
        calls.script,
        ({ event, data }) => event === 'chat:run' && data.event.type === 'sandbox.script.run',
        () => heard(({ event, data }) => event === 'chat:run' && data.event.type === 'card.answered'),
      ],
    };
    /** @type {Record<string, number[]>} */
    const samples = { 'one request': [] };
    for (let round = 0; round <= rounds; round++) {
      const startedAt = performance.now();
      await page.ask('list-apps', {});
      const took = { 'one request': performance.now() - startedAt };
      for (const [name, [wanted, begins, ends]] of Object.entries(kinds)) {
        call = wanted;
        took[name] = await stopped(begins, ends);
      }
      // The first answer loads what makes answers.
      if (round > 0) for (const [name, ms] of Object.entries(took)) (samples[name] ??= []).push(ms);
    }
    return { title: 'Stop', least: 'one request', samples };
  } finally {
    await program.close();
    model.closeAllConnections();
    model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

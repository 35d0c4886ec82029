// The desktop agent as a person starts it, a page without a screen, and a model that says what it is told to.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';

const command = fileURLToPath(new URL('../packages/desktop-agent/bin/mustard-agent.js', import.meta.url));

/**
 * In a process group of its own, so that a kill takes everything that it has started.
 *
 * @param {{ data: string, folder: string, nodeOptions?: string[], stderr?: 'pipe' | 'inherit' }} options
 */
export function startAgent({ data, folder, nodeOptions = [], stderr = 'inherit' }) {
  const args = [...nodeOptions, command, '--no-open', '--data', data, folder];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', stderr], detached: true });
}

/** Where it says that it is, with the token. */
export async function addressOf({ stdout }) {
  let printed = '';
  for await (const text of stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    printed += text;
    const address = /http:\/\/\S+#\S+/.exec(printed)?.[0];
    if (address !== undefined) return new URL(address);
  }
  throw new Error(`mustard-agent ended before it said where it is: ${printed}`);
}

/**
 * What a page does, without a screen.
 *
 * @param {URL} address
 * @param {(frame: any) => void} [hear] each frame that comes
 */
export async function openPage({ origin, hash }, hear = () => {}) {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/socket`, { origin });
  /** The program that answers may have been killed. */
  const closed = new Promise((_, reject) => {
    for (const event of ['error', 'close']) socket.once(event, () => reject(new Error('The socket was closed.')));
  });
  closed.catch(() => {});
  const takers = new Set();
  /** An answer may end before its end is asked for. */
  let seen = [];
  socket.on('message', (data) => {
    const frame = JSON.parse(/** @type {Buffer} */ (data).toString('utf8'));
    hear(frame);
    if (frame.event === 'chat:response:end') seen = [...seen.slice(-9), frame];
    for (const take of takers) take(frame);
  });
  const next = (fits) => {
    const found = new Promise((resolve) => {
      const take = (frame) => {
        if (!fits(frame)) return;
        takers.delete(take);
        resolve(frame);
      };
      takers.add(take);
    });
    return Promise.race([found, closed]);
  };
  await Promise.race([once(socket, 'open'), closed]);
  const ready = next(({ type }) => type === 'ready');
  socket.send(JSON.stringify({ type: 'hello', token: new URLSearchParams(hash.slice(1)).get('token') }));
  await ready;
  let lastId = 0;
  return {
    async ask(channel, params) {
      const id = ++lastId;
      const answered = next((frame) => frame.id === id);
      socket.send(JSON.stringify({ type: 'request', id, channel, params }));
      const { error, result } = await answered;
      if (error !== undefined) throw new Error(`${channel}: ${error.message}`);
      return result;
    },
    async until(name, fits) {
      const known = seen.find(({ event, data }) => event === name && fits(data));
      return (known ?? (await next(({ event, data }) => event === name && fits(data)))).data;
    },
  };
}

/**
 * A server that speaks the streaming protocol of OpenAI.
 *
 * @param {(request: any, send: (delta: object, finishReason?: string | null) => void) => Promise<void> | void} answer
 */
export async function startModel(answer) {
  const take = async (request, response) => {
    if (request.method === 'GET') return void response.end(JSON.stringify({ data: [{ id: 'm' }] }));
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8'));
    response.on('error', () => {}).writeHead(200, { 'content-type': 'text/event-stream' });
    await answer(body, (delta, finish_reason = null) =>
      response.write(`data: ${JSON.stringify({ id: '1', choices: [{ index: 0, delta, finish_reason }] })}\n\n`),
    );
    response.end('data: [DONE]\n\n');
  };
  // A program that is killed cuts its requests.
  const server = createServer((request, response) => void take(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}/v1`, close: () => server.closeAllConnections() ?? server.close() };
}

// npm run bench:agent: how much later the first words of a model are in a page than in a plain client of that model.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { startProgram } from '../../packages/desktop-agent/dist/server/program.js';
import { summarize } from '../statistics.mjs';

const rounds = 30;

/** A model that says its first word when it is told to. */
let speak = () => {};
const model = createServer((request, response) => {
  if (request.method === 'GET') return void response.end(JSON.stringify({ data: [{ id: 'm' }] }));
  request.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  /** @param {object} delta @param {string | null} [finish_reason] */
  const send = (delta, finish_reason = null) =>
    response.write(`data: ${JSON.stringify({ id: '1', choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  speak = () => {
    send({ role: 'assistant', content: 'First' });
    send({}, 'stop');
    response.end('data: [DONE]\n\n');
  };
  model.emit('asked');
});
model.listen(0, '127.0.0.1');
await once(model, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (model.address());
const url = `http://127.0.0.1:${port}/v1`;

const dataDir = mkdtempSync(join(tmpdir(), 'mustard-bench-agent-'));
const folder = mkdtempSync(join(tmpdir(), 'mustard-bench-app-'));
const program = await startProgram({ dataDir, turns: { models: { local: [{ url, name: 'Model' }] } } });
const { origin, hash } = new URL(program.url);
const socket = new WebSocket(`${origin.replace('http', 'ws')}/socket`, { origin });
let lastId = 0;
const frames = new Set();
socket.on('message', (data) => {
  const frame = JSON.parse(/** @type {Buffer} */ (data).toString('utf8'));
  for (const take of frames) take(frame);
});

/** The next frame that fits. */
function next(fits) {
  return new Promise((resolve) => {
    const take = (frame) => {
      if (!fits(frame)) return;
      frames.delete(take);
      resolve(frame);
    };
    frames.add(take);
  });
}

async function ask(channel, params) {
  const id = ++lastId;
  const answered = next((frame) => frame.id === id);
  socket.send(JSON.stringify({ type: 'request', id, channel, params }));
  return (await answered).result;
}

async function inPage(chatId) {
  const asked = once(model, 'asked');
  await ask('chat:stream', { chatId, text: 'Say it', uploads: [] });
  await asked;
  const come = next(({ event }) => event === 'chat:response:chunk');
  const ended = next(({ event, data }) => event === 'chat:changed' && !data.chat.streaming);
  const startedAt = performance.now();
  speak();
  await come;
  const took = performance.now() - startedAt;
  await ended;
  return took;
}

async function inClient() {
  const asked = once(model, 'asked');
  const response = await fetch(`${url}/chat/completions`, { method: 'POST', body: '{}' });
  await asked;
  const reader = /** @type {ReadableStream} */ (response.body).getReader();
  const startedAt = performance.now();
  speak();
  await reader.read();
  const took = performance.now() - startedAt;
  for (let done = false; !done;) ({ done } = await reader.read());
  return took;
}

try {
  await once(socket, 'open');
  const ready = next(({ type }) => type === 'ready');
  socket.send(JSON.stringify({ type: 'hello', token: new URLSearchParams(hash.slice(1)).get('token') }));
  await ready;
  const { id: chatId } = await ask('create-chat', { appId: await program.addFolder(folder), mode: 'ask' });
  const page = [];
  const client = [];
  // The first answer loads what makes answers.
  await inPage(chatId);
  for (let round = 0; round < rounds; round++) {
    client.push(await inClient());
    page.push(await inPage(chatId));
  }
  const added = summarize(page).p50 - summarize(client).p50;
  console.log(`The first words of a model, ${rounds} times, the model in the same process:`);
  for (const [name, times] of Object.entries({ 'in a plain client': client, 'in the page': page })) {
    const { p50, min } = summarize(times);
    console.log(`  ${name.padEnd(20)}median ${p50.toFixed(1)} ms, least ${min.toFixed(1)} ms`);
  }
  console.log(`  added               ${added.toFixed(1)} ms`);
} finally {
  socket.close();
  await program.close();
  model.closeAllConnections();
  model.close();
  for (const path of [dataDir, folder]) rmSync(path, { recursive: true, force: true });
}

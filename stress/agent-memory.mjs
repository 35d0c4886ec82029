import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { formatBytes } from '@mustard-sandbox/agent-tool';

/** @typedef {import('./report.mjs').Report} Report */

const command = fileURLToPath(new URL('../packages/desktop-agent/bin/mustard-agent.js', import.meta.url));
/** The first part of the session fills caches, and does not count. */
const warmShare = 0.25;
const wantedGrowth = 1.05;

/**
 * A session of the desktop agent that goes on and on: chats are made, answered with a script or a proposal, and deleted.
 * Its memory at the end is what it was when it had warmed up.
 *
 * @param {{ seconds: number }} options
 * @param {Report} report
 */
export async function run({ seconds }, report) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'stress-agent-memory-')));
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  const model = await startModel();
  const program = spawn(process.execPath, [command, '--no-open', '--data', `${folder}-data`, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const page = await openPage(await addressOf(program));
    const { apps } = await page.ask('get-state', {});
    await page.ask('update-settings', {
      baseUrl: model.url,
      scripts: { enabled: true, consent: 'always', timeoutMs: 10_000 },
    });
    const samples = [];
    const startedAt = performance.now();
    const end = startedAt + seconds * 1000;
    for (let rounds = 1; performance.now() < end; rounds++) {
      await oneRound(page, apps[0].id, rounds % 2 === 0 ? 'agent' : 'build');
      samples.push({ at: performance.now() - startedAt, bytes: residentOf(program.pid) });
      report.sometimes(() => `${rounds} chats, ${formatBytes(samples.at(-1).bytes)}`);
    }
    return judge(samples, seconds, report);
  } finally {
    program.kill('SIGINT');
    await once(program, 'exit');
    model.close();
    for (const path of [folder, `${folder}-data`]) await rm(path, { recursive: true, force: true });
  }
}

/** A chat from its first message to its end. */
async function oneRound(page, appId, mode) {
  const chat = await page.ask('create-chat', { appId, mode });
  const { messageId } = await page.ask('chat:stream', { chatId: chat.id, text: 'Go', uploads: [] });
  const { message } = await page.until('chat:response:end', ({ message }) => message.id === messageId);
  if (mode === 'build') await page.ask('reject-proposal', { chatId: chat.id, messageId: message.id });
  await page.ask('delete-chat', { chatId: chat.id });
}

function judge(samples, seconds, report) {
  const warm = samples.filter(({ at }) => at > seconds * 1000 * warmShare).map(({ bytes }) => bytes);
  const part = Math.ceil(warm.length / 10);
  const [before, after] = [median(warm.slice(0, part)), median(warm.slice(-part))];
  const growth = after / before;
  report.row(`  ${samples.length} chats in ${seconds} s: ${formatBytes(before)}, then ${formatBytes(after)}`);
  report.wanted(growth <= wantedGrowth, `memory is ${growth.toFixed(2)} times what it was, over ${wantedGrowth}`);
  return { chats: samples.length, before, after, growth: Number(growth.toFixed(3)) };
}

/** Answers with a call of a script, then with words; a chat of the mode Build gets a file to write. */
async function startModel() {
  const answer = async (request, response) => {
    if (request.method === 'GET') return void response.end(JSON.stringify({ data: [{ id: 'm' }] }));
    const { messages, tools } = JSON.parse(await textOf(request));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    /** @param {object} delta @param {string | null} [finish_reason] */
    const send = (delta, finish_reason = null) =>
      response.write(`data: ${JSON.stringify({ id: '1', choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    if (tools !== undefined && messages.at(-1).role === 'user') {
      const call = { name: 'execute_sandbox_script', arguments: JSON.stringify({ script: `'x'.repeat(50000)` }) };
      send({ role: 'assistant', tool_calls: [{ index: 0, id: 'c1', type: 'function', function: call }] });
      send({}, 'tool_calls');
    } else {
      const write = `<agent-write path="b.txt">${'line\n'.repeat(2000)}</agent-write>`;
      for (const text of ['Here it is. ', tools === undefined ? write : 'Done.']) send({ content: text });
      send({}, 'stop');
    }
    response.end('data: [DONE]\n\n');
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}/v1`, close: () => server.closeAllConnections() ?? server.close() };
}

async function textOf(stream) {
  const chunks = await stream.toArray();
  return Buffer.concat(chunks).toString('utf8');
}

async function addressOf({ stdout }) {
  let printed = '';
  for await (const text of stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    printed += text;
    const address = /http:\/\/\S+#\S+/.exec(printed)?.[0];
    if (address !== undefined) return new URL(address);
  }
  throw new Error(`mustard-agent ended before it said where it is: ${printed}`);
}

/** What a page does, without a screen. */
async function openPage({ origin, hash }) {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/socket`, { origin });
  const takers = new Set();
  /** An answer may end before its end is asked for. */
  let seen = [];
  socket.on('message', (data) => {
    const frame = JSON.parse(/** @type {Buffer} */ (data).toString('utf8'));
    if (frame.event === 'chat:response:end') seen = [...seen.slice(-9), frame];
    for (const take of takers) take(frame);
  });
  const next = (fits) =>
    new Promise((resolve) => {
      const take = (frame) => {
        if (!fits(frame)) return;
        takers.delete(take);
        resolve(frame);
      };
      takers.add(take);
    });
  await once(socket, 'open');
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

function residentOf(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

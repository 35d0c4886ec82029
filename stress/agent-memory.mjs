import { on, once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { formatBytes } from '@mustard-sandbox/agent-tool';
import { addressOf, openPage, startAgent, startModel } from './agent-program.mjs';

/** @typedef {import('./report.mjs').Report} Report */

/** The first part of the session fills caches, and does not count. */
const warmShare = 0.25;
/** The heap is read after the first samples that count, since a collection makes the memory of the process smaller. */
const heapShare = 0.35;
const wantedGrowth = 1.05;

/**
 * A session of the desktop agent that goes on and on: chats are made, answered with a script or a proposal, and deleted.
 * Its memory at the end is what it was when it had warmed up.
 *
 * @param {{ seconds: number, pause: number }} options
 * @param {Report} report
 */
export async function run({ seconds, pause }, report) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'stress-agent-memory-')));
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  const model = await startModel(answer);
  const nodeOptions = ['--inspect=127.0.0.1:0'];
  const program = startAgent({ data: `${folder}-data`, folder, nodeOptions, stderr: 'pipe' });
  try {
    const heap = await openInspector(program);
    const page = await openPage(await addressOf(program));
    const { apps } = await page.ask('get-state', {});
    const server = { name: 'Model', url: model.url, models: [], headers: {} };
    await page.ask('save-model-server', { id: null, server });
    await page.ask('update-settings', {
      scripts: { enabled: true, consent: 'always', timeoutMs: 10_000 },
    });
    const samples = [];
    const startedAt = performance.now();
    const end = startedAt + seconds * 1000;
    let heapBefore;
    for (let rounds = 1; performance.now() < end; rounds++) {
      await oneRound(page, apps[0].id, rounds % 2 === 0 ? 'agent' : 'build');
      const at = performance.now() - startedAt;
      samples.push({ at, bytes: residentOf(program.pid) });
      if (at > seconds * 1000 * heapShare) heapBefore ??= await heap.inUse();
      report.sometimes(() => `${rounds} chats, ${formatBytes(samples.at(-1).bytes)}`);
      await sleep(pause);
    }
    const heapAfter = await heap.inUse();
    heap.close();
    report.row(`  in use on the heap: ${formatBytes(heapBefore ?? 0)}, then ${formatBytes(heapAfter)}`);
    return { ...judge(samples, seconds, report), heapBefore, heapAfter };
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
function answer(/** @type {any} */ { messages, tools }, send) {
  if (tools !== undefined && messages.at(-1).role === 'user') {
    const call = { name: 'execute_sandbox_script', arguments: JSON.stringify({ script: `'x'.repeat(50000)` }) };
    send({ role: 'assistant', tool_calls: [{ index: 0, id: 'c1', type: 'function', function: call }] });
    send({}, 'tool_calls');
    return;
  }
  const write = `<agent-write path="b.txt">${'line\n'.repeat(2000)}</agent-write>`;
  for (const text of ['Here it is. ', tools === undefined ? write : 'Done.']) send({ content: text });
  send({}, 'stop');
}

/** Reads what is still in use, which tells what is held from what the process has not given back. */
async function openInspector({ stderr }) {
  let printed = '';
  stderr.setEncoding('utf8').on('data', (text) => process.stderr.write(text));
  for await (const text of stderr.iterator({ destroyOnReturn: false })) {
    printed += text;
    if (/ws:\/\/\S+\s/.test(printed)) break;
  }
  const socket = new WebSocket(/ws:\/\/\S+/.exec(printed)?.[0] ?? '');
  await once(socket, 'open');
  let lastId = 0;
  const send = async (method, params = {}) => {
    const id = ++lastId;
    socket.send(JSON.stringify({ id, method, params }));
    for await (const [data] of on(socket, 'message')) {
      const answer = JSON.parse(String(data));
      if (answer.id === id) return answer.result;
    }
  };
  return {
    async inUse() {
      await send('HeapProfiler.collectGarbage');
      return (await send('Runtime.getHeapUsage')).usedSize;
    },
    close: () => socket.close(),
  };
}

function residentOf(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

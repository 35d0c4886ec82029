// The program around the model: its start, an upload, a long chat.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { startProgram } from '../../packages/desktop-agent/dist/server/program.js';
import { sideBySide } from '../measure.mjs';
import { addTurns } from './turns.mjs';

const command = fileURLToPath(new URL('../../packages/desktop-agent/bin/mustard-agent.js', import.meta.url));
const rounds = { rounds: 7, warmup: 1, budgetMs: 60_000 };

/** @template T @param {(folder: string) => Promise<T>} use */
async function inFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'mustard-bench-agent-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** From the command to the page's first byte, against a Node that does nothing. */
export async function measureStart() {
  return await inFolder(async (folder) => {
    const samples = await sideBySide(
      {
        'node, doing nothing': async () => void (await once(spawn(process.execPath, ['--eval', '0']), 'exit')),
        'start to page': () => startToPage(join(folder, 'data')),
      },
      rounds,
    );
    return { title: 'The start', least: 'node, doing nothing', samples };
  });
}

async function startToPage(data) {
  const child = spawn(process.execPath, [command, '--no-open', '--data', data]);
  let printed = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    printed += text;
    const origin = /http:\/\/[\d.:]+(?=\/)/.exec(printed)?.[0];
    if (origin === undefined) continue;
    await (await fetch(origin)).text();
    break;
  }
  child.kill('SIGKILL');
}

/** 80 MB over HTTP into the attachment store, against hashing and writing them to a synced file. */
export async function measureUpload() {
  return await inFolder(async (folder) => {
    const content = Buffer.alloc(80_000_000, 'GET /index.html 200 12 ms\n');
    const program = await startProgram({ dataDir: join(folder, 'data') });
    const { origin, token, chat } = await withChat(program, folder);
    let count = 0;
    const fresh = () => (content.write(`${count++} `), content);
    const upload = async () => {
      const response = await fetch(`${origin}/uploads?chat=${chat.id}&name=${count}.log`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}` },
        body: fresh(),
      });
      if (response.status !== 201) throw new Error(await response.text());
    };
    const write = async () => {
      const file = await open(join(folder, `plain-${count}`), 'w');
      createHash('sha256').update(fresh()).digest();
      await file.writeFile(content);
      await file.sync();
      await file.close();
    };
    const samples = await sideBySide({ 'hash, write, sync': write, upload }, rounds);
    await program.close();
    return { title: 'An upload of 80 MB', least: 'hash, write, sync', samples };
  });
}

/** A chat of 1,000 messages over the socket, against writing and reading its JSON. */
export async function measureMessages() {
  return await inFolder(async (folder) => {
    const program = await startProgram({ dataDir: join(folder, 'data') });
    const { origin, token, chat } = await withChat(program, folder);
    await addTurns(program.services.chats, chat.id, 500);
    const messages = await program.services.chats.listMessages(chat.id);
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/socket`, { origin });
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'hello', token }));
    await once(socket, 'message');
    const ask = async () => {
      socket.send(JSON.stringify({ type: 'request', id: 1, channel: 'get-chat', params: { chatId: chat.id } }));
      const [answer] = await once(socket, 'message');
      if (JSON.parse(String(answer)).result.messages.length !== 1000) throw new Error(String(answer).slice(0, 200));
    };
    const json = async () => void JSON.parse(JSON.stringify(messages));
    const samples = await sideBySide({ 'its JSON, there and back': json, 'open it': ask }, rounds);
    socket.close();
    await program.close();
    return { title: 'A chat of 1,000 messages', least: 'its JSON, there and back', samples };
  });
}

async function withChat(program, folder) {
  const { origin, hash } = new URL(program.url);
  const app = await program.services.apps.add('app', folder);
  const chat = await program.services.chats.create({ appId: app.id, title: 'x', mode: 'ask' });
  return { origin, token: new URLSearchParams(hash.slice(1)).get('token'), chat };
}

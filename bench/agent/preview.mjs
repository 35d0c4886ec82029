// An app in the preview: its first paint beside the same page without the proxy, and what the program then takes.
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { WebSocket } from 'ws';

const rounds = 15;
const goal = { paint: 1.1, megabytes: 220 };
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = process.env['CHROMIUM'] ?? places.find((path) => existsSync(path));
const command = fileURLToPath(new URL('../../packages/desktop-agent/bin/mustard-agent.js', import.meta.url));

/** A page as a dev server gives it: a module that imports 60 others, and styles. */
const server = `import { createServer } from 'node:http';
const parts = Array.from({ length: 60 }, (_, index) => index);
const answers = {
  '/': ['text/html', '<!doctype html><html><head><link rel="stylesheet" href="/page.css"><script type="module" src="/main.js"></script></head><body><h1>Shop</h1></body></html>'],
  '/page.css': ['text/css', 'h1 { color: teal }\\n'.repeat(2000)],
  '/main.js': ['text/javascript', parts.map((index) => 'import "/part-' + index + '.js";').join('\\n') + 'document.body.append("ready");'],
};
createServer((request, response) => {
  const [type, body] = answers[request.url] ?? ['text/javascript', '// ' + 'x'.repeat(4000)];
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(body);
}).listen(0, '127.0.0.1', function () { console.log('http://localhost:' + this.address().port + '/'); });
`;

/** @returns the title of the figures, the least that could be done, and the samples by name; `null` without a browser */
export async function measurePreview() {
  if (executablePath === undefined) return null;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-bench-preview-')));
  writeFileSync(join(folder, 'server.mjs'), server);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { dev: `'${process.execPath}' server.mjs` } }));
  const child = spawn(process.execPath, [command, '--no-open', '--data', join(folder, 'data')]);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const { port, origin } = await shown(await addressOf(child), folder);
    /** @type {Record<string, number[]>} */
    const samples = { 'without the proxy': [], 'in the preview': [] };
    for (let round = -2; round < rounds; round++) {
      const direct = await painted(browser, `http://localhost:${port}/`);
      const proxied = await painted(browser, `${origin}/`);
      if (round < 0) continue;
      samples['without the proxy']?.push(direct);
      samples['in the preview']?.push(proxied);
    }
    const megabytes = memoryOf(child.pid);
    const title = `First paint of an app (goal ${goal.paint} ×; the program takes ${megabytes} MB, goal ${goal.megabytes})`;
    return { title, least: 'without the proxy', samples };
  } finally {
    await browser.close();
    child.kill('SIGTERM');
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {import('node:child_process').ChildProcessWithoutNullStreams} child */
async function addressOf(child) {
  let printed = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    printed += text;
    const address = /http:\/\/\S+/.exec(printed)?.[0];
    if (address !== undefined && printed.includes('Ctrl-C')) return new URL(address);
  }
  throw new Error(`The program did not start: ${printed}`);
}

/** Starts the app, as a person who says yes. */
async function shown(address, folder) {
  const socket = new WebSocket(`ws://${address.host}/socket`, { origin: address.origin });
  await once(socket, 'open');
  const waiting = new Map();
  let last = 0;
  const ask = (channel, params) =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      socket.send(JSON.stringify({ type: 'request', id: last, channel, params }));
    });
  socket.on('message', (data) => {
    const frame = JSON.parse(/** @type {Buffer} */ (data).toString('utf8'));
    waiting.get(frame.id)?.(frame.result);
    if (frame.event === 'question:asked')
      void ask('answer-question', { id: frame.data.question.id, answer: 'allow-once' });
  });
  socket.send(JSON.stringify({ type: 'hello', token: new URLSearchParams(address.hash.slice(1)).get('token') }));
  const { id: appId } = await ask('add-app', { path: folder });
  await ask('start-preview', { appId, script: 'dev' });
  for (;;) {
    const { preview } = await ask('get-preview', { appId });
    if (preview.state === 'running') return preview;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** From the navigation to the first thing that is seen, in a window without a cache. */
async function painted(browser, url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  // As in the frame of the agent: there, the proxy puts its script into the page.
  await page.goto(url, { waitUntil: 'load' });
  const time = await page.evaluate(async () => {
    const { requestAnimationFrame } = /** @type {any} */ (globalThis);
    const painted = () => performance.getEntriesByName('first-contentful-paint')[0];
    while (painted() === undefined) await new Promise((resolve) => requestAnimationFrame(resolve));
    return painted()?.startTime ?? 0;
  });
  await context.close();
  return time;
}

function memoryOf(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

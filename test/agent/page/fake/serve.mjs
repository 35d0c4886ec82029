// Builds and serves the page over the fake main: for the tests, and for the pictures of the docs.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const agent = `${root}packages/desktop-agent/`;
const mediaTypes = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };

/** The page over the fake main, built as the real one is. */
async function buildFake() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { main: 'test/agent/page/fake/entry.ts', page: `${agent}src/page/styles/index.css` },
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    outdir: 'out',
    write: false,
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  });
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
}

/** Serves it under the policy of the real server, on loopback. */
export async function serveFake() {
  const { securityHeaders } = await import('../../../../packages/desktop-agent/dist/server/http/headers.js');
  const files = await buildFake();
  const html = readFileSync(`${agent}src/page/index.html`, 'utf8');
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    // The page of an app, for the frame of the preview.
    if (request.headers.host?.startsWith('app-1.localhost:')) {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><title>Shop</title><h1>The shop</h1>');
      return;
    }
    const nonce = randomBytes(16).toString('base64');
    const name = pathname === '/' ? 'index.html' : pathname.slice(1);
    const content = name === 'index.html' ? html.replaceAll('{{nonce}}', nonce) : files.get(name);
    const type = `${mediaTypes[extname(name)] ?? 'application/octet-stream'}; charset=utf-8`;
    response.writeHead(content === undefined ? 404 : 200, {
      ...securityHeaders(nonce, portOf(server)),
      'content-type': type,
    });
    response.end(content);
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  return { origin: `http://127.0.0.1:${portOf(server)}`, close: () => void server.close() };
}

/** @param {import('node:http').Server} server */
function portOf(server) {
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}

/**
 * A window with the page in it; it waits until there is something to see.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {string} origin
 * @param {import('./fake-server.ts').FakeOptions & { dir?: 'rtl', window?: import('playwright-core').BrowserContextOptions }} [options]
 */
export async function openPage(browser, origin, { dir, window, ...options } = {}) {
  const context = await browser.newContext({
    locale: 'en-US',
    timezoneId: 'UTC',
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...window,
  });
  // So that `3 min ago` is the same each time.
  await context.clock.setFixedTime('2026-03-02T10:20:00.000Z');
  const page = await context.newPage();
  const query = new URLSearchParams({
    dir: dir ?? 'ltr',
    options: JSON.stringify({ chat: 'chat-1', ...options }),
  });
  await page.goto(`${origin}/?${query}`);
  await page.locator('.ma-shell, .ma-welcome').first().waitFor();
  return page;
}

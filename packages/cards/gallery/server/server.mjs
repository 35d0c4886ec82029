import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { whyRefused } from './guard.mjs';

const types = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };
const maxBodyBytes = 256 * 1024;
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // React sets styles of elements, and the library for plots does.
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves the page and, where there is a session, its calls. On loopback alone.
 *
 * @param {Map<string, Uint8Array>} files
 * @param {ReturnType<import('./session.mjs').createSession>} [session]
 * @param {number} [port] 0: any
 */
export async function startServer(files, session, port = 0) {
  const token = randomBytes(24).toString('base64url');
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => sendJson(response, 400, { problem: String(error.message ?? error) }));
  });

  async function answer(request, response) {
    const refused = whyRefused(request, { port: server.address().port, token });
    if (refused !== undefined) return sendJson(response, refused.status, { problem: refused.problem });
    const { pathname } = new URL(request.url, 'http://localhost');
    if (pathname.startsWith('/api/')) return answerCall(request, response, pathname.slice('/api/'.length));
    // By the name in a map, so that no path leads anywhere.
    const name = pathname === '/' ? 'index.html' : pathname.slice(1);
    const file = files.get(name);
    if (file === undefined) return sendJson(response, 404, { problem: 'There is no such page.' });
    response.writeHead(200, headers(`${types[extname(name)] ?? 'application/octet-stream'}; charset=utf-8`));
    return response.end(file);
  }

  async function answerCall(request, response, name) {
    const body = await readBody(request);
    if (session === undefined) return sendJson(response, 404, { problem: 'There is no tool behind this page.' });
    if (name === 'events') return stream(response, session);
    const method = Object.hasOwn(session.methods, name) ? session.methods[name] : undefined;
    if (method === undefined) return sendJson(response, 404, { problem: 'There is no such call.' });
    return sendJson(response, 200, await method(body));
  }

  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    origin,
    token,
    /** To open in a browser. */
    url: session === undefined ? `${origin}/` : `${origin}/?live#token=${token}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function stream(response, session) {
  response.writeHead(200, headers('application/x-ndjson; charset=utf-8'));
  const end = session.listen((event) => response.write(`${JSON.stringify(event)}\n`));
  response.on('close', end);
}

async function readBody(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error('The request is too large.');
    chunks.push(chunk);
  }
  const body = JSON.parse(Buffer.concat(chunks).toString() || '{}');
  if (typeof body !== 'object' || body === null) throw new Error('The request must be a JSON object.');
  return body;
}

function sendJson(response, status, body) {
  if (response.headersSent) return response.destroy();
  response.writeHead(status, headers('application/json; charset=utf-8'));
  return response.end(JSON.stringify(body));
}

function headers(type) {
  return {
    'content-type': type,
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  };
}

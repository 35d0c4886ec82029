import {
  Agent,
  request as requestHttp,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { Agent as SecureAgent, request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Target } from '../app-preview.ts';
import { clientPath, clientScript } from './client.ts';
import { leadsAway, nonceOf, requestHeaders, responseHeaders } from './headers.ts';
import { Injected } from './inject.ts';
import { respondPage } from './pages.ts';

/** Forwards a request to the dev server, and streams back its answer of any size. */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { target, framers }: { target: Target; framers: readonly string[] },
): Promise<void> {
  const isDocument = /^(?:document|iframe|frame)$/.test(request.headers['sec-fetch-dest'] ?? '');
  let answer: IncomingMessage;
  try {
    answer = await answerOf(request, response, target, requestHeaders(request, target, { isDocument }));
  } catch {
    return respondPage(response, framers, {
      status: 502,
      title: 'The app does not answer',
      text: `It listens on port ${target.port}, but gave no answer that can be shown. Its output may say why.`,
    });
  }
  await pass(answer, response, { target, framers, isDocument });
}

/** Connects a socket of the page, such as that of hot reloading, to one of the dev server. */
export function forwardUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, target: Target): void {
  const headers = {
    ...requestHeaders(request, target),
    connection: 'Upgrade',
    upgrade: request.headers.upgrade ?? 'websocket',
  };
  const asked = ask(request, target, headers);
  const end = (): void => {
    asked.destroy();
    socket.destroy();
  };
  socket.once('close', end);
  asked.once('error', end);
  // An ordinary response means that the dev server refused the upgrade.
  asked.once('response', (answer) => {
    answer.resume();
    socket.end(`HTTP/1.1 ${answer.statusCode ?? 502} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });
  asked.once('upgrade', (answer, joined, first) => {
    joined.once('close', end);
    joined.on('error', end);
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${linesOf(answer)}\r\n`);
    if (first.length > 0) socket.write(first);
    if (head.length > 0) joined.write(head);
    socket.pipe(joined).pipe(socket);
  });
  asked.end();
}

/** Connections are reused, because a page asks for hundreds of modules and a new connection takes longer than an answer. */
const kept = {
  http: new Agent({ keepAlive: true, maxFreeSockets: 16 }),
  https: new SecureAgent({ keepAlive: true, maxFreeSockets: 16 }),
};

/** @throws the error of the connection */
async function answerOf(
  request: IncomingMessage,
  response: ServerResponse,
  target: Target,
  headers: OutgoingHttpHeaders,
): Promise<IncomingMessage> {
  const mayRepeat = (request.method === 'GET' || request.method === 'HEAD') && !hasBody(request);
  for (let isFirst = true; ; isFirst = false) {
    const asked = ask(request, target, headers, { isKept: mayRepeat && isFirst });
    response.once('close', () => asked.destroy());
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve);
      asked.once('error', reject);
    });
    // When one side closes, the other side is closed too.
    if (mayRepeat) asked.end();
    else pipeline(request, asked).catch(() => {});
    try {
      return await answered;
    } catch (error) {
      // Only this case is repeated: the server closed a kept connection just before it was reused.
      if (!asked.reusedSocket || !isFirst || response.destroyed) throw error;
    }
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function ask(
  request: IncomingMessage,
  { host, port, isSecure }: Target,
  headers: OutgoingHttpHeaders,
  { isKept = false } = {},
): ClientRequest {
  const options = { host, port, method: request.method, path: request.url, headers, setHost: false };
  // Dev servers have self-signed certificates, and nothing leaves this machine.
  if (isSecure) return requestHttps({ ...options, rejectUnauthorized: false, agent: isKept && kept.https });
  return requestHttp({ ...options, agent: isKept && kept.http });
}

async function pass(
  answer: IncomingMessage,
  response: ServerResponse,
  { target, framers, isDocument }: { target: Target; framers: readonly string[]; isDocument: boolean },
): Promise<void> {
  const status = answer.statusCode ?? 502;
  const headers = responseHeaders(answer, target, framers);
  const { location } = headers;
  if (isDocument && status >= 300 && status < 400 && typeof location === 'string' && leadsAway(location)) {
    answer.destroy();
    const text = `The app redirects to ${location}. The preview shows only the app.`;
    return respondPage(response, framers, { status: 200, title: 'This leads away from the app', text, link: location });
  }
  const tag = isDocument && status !== 304 && canTake(answer) ? scriptTag(answer, framers) : undefined;
  const length = Number(headers['content-length']);
  if (tag !== undefined && Number.isFinite(length)) headers['content-length'] = length + Buffer.byteLength(tag);
  response.writeHead(status, answer.statusMessage, headers);
  try {
    if (answer.method === 'HEAD' || response.req.method === 'HEAD') response.end();
    else if (tag === undefined) await pipeline(answer, response);
    else await pipeline(answer, new Injected(tag), response);
  } catch {
    // When the dev server's answer is cut, the browser's answer is cut too.
    response.destroy();
  }
}

function canTake({ headers, statusCode }: IncomingMessage): boolean {
  return (
    /^\s*text\/html\b/i.test(headers['content-type'] ?? '') &&
    headers['content-encoding'] === undefined &&
    statusCode !== 206
  );
}

/** The script is inline where the page's policy allows that, which saves a request before the page is seen. */
function scriptTag(answer: IncomingMessage, framers: readonly string[]): string {
  const nonce = nonceOf(answer);
  if (nonce !== undefined) return `<script nonce="${nonce}">${clientScript(framers)}</script>`;
  if (answer.headers['content-security-policy'] !== undefined) return `<script src="${clientPath}"></script>`;
  return `<script>${clientScript(framers)}</script>`;
}

function linesOf({ rawHeaders }: IncomingMessage): string {
  let lines = '';
  for (let at = 0; at < rawHeaders.length; at += 2) {
    // Cookies of a socket's answer would be for the wrong host.
    if (!/^set-cookie$/i.test(rawHeaders[at] ?? '')) lines += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  }
  return lines;
}

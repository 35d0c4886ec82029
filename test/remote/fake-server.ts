import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { WebSocketServer, type WebSocket } from 'ws';
import { protocolVersion } from '@mustard-sandbox/protocol';

export interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: unknown;
}

/** What a server says that can say anything. */
export interface Script {
  /** Of the handshake, beside what an honest server says. */
  initialize?: Record<string, unknown>;
  onRun?: (message: Message, send: (message: Message) => void, socket: WebSocket) => void;
  http?: (request: IncomingMessage, response: ServerResponse) => void;
}

const stats = {
  state: 'running',
  processes: [],
  queued: 0,
  isolation: { requested: 'auto' },
  quarantinedScripts: 0,
};

/** The result of a run, as an honest server sends it. */
export const result = (value: unknown): Record<string, unknown> => ({
  value,
  engine: 'quickjs',
  executionMs: 1,
  instructionsUsed: 1,
  heapBytesUsed: 0,
  hostCalls: 0,
  bytesRead: 0,
  queueMs: 0,
});

/** A server of the remote dialect that does what `script` says. @param socket listens at this path */
export async function openFakeServer(script: Script, socket?: string): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    if (script.http === undefined) response.writeHead(404).end();
    else script.http(request, response);
  });
  const sockets = new WebSocketServer({ server, handleProtocols: () => 'mustard-sandbox.1.remote' });
  sockets.on('connection', (socket) => serve(socket, script));
  await new Promise<void>((resolve) => {
    if (socket === undefined) server.listen(0, '127.0.0.1', resolve);
    else server.listen(socket, resolve);
  });
  return {
    url: socket === undefined ? `http://127.0.0.1:${(server.address() as { port: number }).port}` : `unix:${socket}`,
    close() {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
      server.closeAllConnections();
    },
  };
}

function serve(socket: WebSocket, { initialize, onRun }: Script): void {
  const send = (message: Message): void => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    socket.send(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  let rest = Buffer.alloc(0);
  socket
    .on('error', () => {})
    .on('message', (data: Buffer) => {
      rest = Buffer.concat([rest, data]);
      for (let end = rest.indexOf('\r\n\r\n'); end >= 0; end = rest.indexOf('\r\n\r\n')) {
        const length = Number(/Content-Length: (\d+)/.exec(rest.subarray(0, end).toString())?.[1]);
        if (rest.length < end + 4 + length) return;
        const message = JSON.parse(rest.subarray(end + 4, end + 4 + length).toString()) as Message;
        rest = rest.subarray(end + 4 + length);
        if (message.method === 'initialize') send({ ...id(message), result: { ...handshake, ...initialize } });
        else if (message.method === 'sandbox/run') onRun?.(message, send, socket);
      }
    });
}

const id = ({ id }: Message): { id?: number } => (id === undefined ? {} : { id });

const handshake = {
  protocolVersion,
  server: { name: 'fake', version: '1' },
  pid: 1,
  engine: { name: 'mustardscript', available: true },
  limits: {},
  ceilings: {},
  capabilities: ['a-feature-of-the-future'],
  fileInputs: [
    { target: 'sandbox/run', path: 'scope.root', kind: 'directory' },
    { target: 'sandbox/run', path: 'scope.attachments[*].path', kind: 'file' },
  ],
  maxInlineBytes: 1_000_000,
  maxFileBytes: 1_000_000,
  stats,
};

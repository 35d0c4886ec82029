import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { formatBytes } from '@mustard-sandbox/agent-tool';
import { isAllowed, nameOf } from './domains.ts';
import { reach, Unreachable, type Outside } from './outside.ts';
import { ReachedLog, type Reached, type ReachedHost } from './reached.ts';

/** What a command may reach. */
export interface ProxyOptions {
  /** As `parseDomain` returns them. */
  domains: readonly string[];
  /** The most bytes of all connections together, in both directions. */
  maxBytes: number;
  outside: Outside;
  /** In which a request must have sent its head, in ms. */
  headMs?: number;
}

const ports = { http: 80, https: 443 } as const;
const maxConnections = 128;
const maxHeaderBytes = 16 * 1024;
const defaultHeadMs = 10_000;
/** After which a connection is closed on which nothing comes. */
const idleMs = 120_000;
/** Headers of one connection and not of the request, which a proxy does not pass on. */
const hopByHop = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade expect'.split(
    ' ',
  ),
);

/**
 * The only way of a command to the network: a proxy for HTTP and for CONNECT, which resolves names itself and does not
 * look into what is encrypted.
 */
export class CommandProxy {
  readonly #options: ProxyOptions;
  readonly #log = new ReachedLog();
  readonly #server: HttpServer;
  readonly #sockets = new Set<Duplex>();
  #bytes = 0;

  constructor(options: ProxyOptions) {
    this.#options = options;
    const { headMs = defaultHeadMs } = options;
    const server = createServer({
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headMs,
      connectionsCheckingInterval: headMs / 10,
    });
    this.#server = server;
    server.maxConnections = maxConnections;
    server.on('connection', (socket) => this.#keep(socket));
    server.on('connect', (request, socket: Duplex, head: Buffer) => void this.#tunnel(request, socket, head));
    server.on('request', (request, response) => void this.#pass(request, response));
    server.on('clientError', (_, socket) => socket.destroy());
  }

  /** @param listening in the network of the command's jail */
  listen(listening: Server): void {
    this.#server.listen(listening);
  }

  get reached(): Reached {
    return this.#log.all;
  }

  /** Ends all connections. It may be called again. */
  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #tunnel({ url = '' }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const [, host = url, port = '0'] = /^(.*):(\d{1,5})$/s.exec(url) ?? [];
    const entry = this.#log.begin(nameOf(host) ?? host, Number(port));
    const remote = await this.#open(host, Number(port), ports.https, entry);
    if (typeof remote === 'string') {
      client.end(`HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-type: text/plain\r\n\r\n${remote}\n`);
      return;
    }
    if (client.destroyed) return void remote.destroy();
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    this.#count(client, entry, 'sentBytes');
    this.#count(remote, entry, 'receivedBytes');
    entry.sentBytes += head.length;
    if (head.length > 0) remote.write(head);
    client.pipe(remote).pipe(client);
    // What came before the end has still to be written.
    remote.once('close', (hadError: boolean) => (hadError ? client.destroy() : client.end()));
    client.once('close', () => remote.destroy());
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined;
    const entry = this.#log.begin(
      url === undefined ? (request.url ?? '') : (nameOf(url.hostname) ?? url.hostname),
      url?.port ? Number(url.port) : ports.http,
    );
    const refuse = (status: number, why: string): void => {
      if (response.headersSent) return void response.destroy();
      response.writeHead(status, { connection: 'close', 'content-type': 'text/plain' }).end(`${why}\n`);
    };
    if (url?.protocol !== 'http:') return refuse(400, this.#refused(entry, 'it is no request for http'));
    const remote = await this.#open(url.hostname, entry.port, ports.http, entry);
    if (typeof remote === 'string') return refuse(403, remote);
    this.#count(remote, entry, 'receivedBytes');
    const passed = httpRequest({
      createConnection: () => remote,
      method: request.method,
      path: `${url.pathname}${url.search}`,
      // Its Host is the one that was looked at, whatever the command wrote there.
      headers: { ...passedOn(request), host: url.host, connection: 'close' },
    });
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, passedOn(answer));
      answer.pipe(response);
    });
    passed.on('error', () => refuse(502, `${entry.host} ended the connection.`));
    response.once('close', () => remote.destroy());
    this.#count(request, entry, 'sentBytes');
    request.pipe(passed);
  }

  /** A connection, or why there is none, for the command. */
  async #open(host: string, port: number, only: number, entry: ReachedHost): Promise<Socket | string> {
    const name = nameOf(host);
    if (name === undefined) return this.#refused(entry, 'it is an address or no name; only names are allowed');
    if (!isAllowed(name, this.#options.domains)) return this.#refused(entry, 'it is not on the list of domains');
    if (port !== only) return this.#refused(entry, `only port ${only} is allowed`);
    if (this.#bytes > this.#options.maxBytes) return this.#refused(entry, this.#tooMuch);
    try {
      const remote = await reach(this.#options.outside, name, port);
      this.#keep(remote);
      return remote;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      return this.#refused(entry, error.message);
    }
  }

  #refused(entry: ReachedHost, why: string): string {
    entry.refused++;
    entry.why = why;
    return `The network of this command does not reach ${entry.host}:${entry.port}: ${why}.`;
  }

  get #tooMuch(): string {
    return `the command has moved more than ${formatBytes(this.#options.maxBytes)} (networkBytes)`;
  }

  #count(stream: NodeJS.ReadableStream, entry: ReachedHost, way: 'sentBytes' | 'receivedBytes'): void {
    stream.on('data', (chunk: Buffer) => {
      entry[way] += chunk.length;
      this.#bytes += chunk.length;
      if (this.#bytes <= this.#options.maxBytes) return;
      entry.why = this.#tooMuch;
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  #keep(socket: Duplex & Partial<Pick<Socket, 'setTimeout'>>): void {
    this.#sockets.add(socket);
    socket.setTimeout?.(idleMs, () => socket.destroy());
    // The other side may end it at any time, which is no failure of the proxy.
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

/** The headers that a proxy passes on. Those of the connection are left out, and those that `Connection` names. */
function passedOn({ headers, rawHeaders }: IncomingMessage): Record<string, string[]> {
  const named = (headers.connection ?? '').toLowerCase().split(/\s*,\s*/);
  const passed: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at]?.toLowerCase(), rawHeaders[at + 1]];
    if (hopByHop.has(name) || named.includes(name)) continue;
    (passed[name] ??= []).push(value);
  }
  return passed;
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from '../../log.ts';
import { boundIdleSockets } from '../../http/idle-sockets.ts';
import { respondText } from '../../http/respond.ts';
import type { Target } from '../app-preview.ts';
import { clientPath, clientScript } from './client.ts';
import { forward, forwardUpgrade } from './forward.ts';
import { judge } from './guard.ts';
import { respondPage } from './pages.ts';

const maxSockets = 512;
const maxIdleSockets = 128;
const portTries = 5;

interface PreviewServerOptions {
  targetOf: (appId: string) => Target | undefined;
  log: Logger;
}

/**
 * Shows the running apps, each at a host of its own, `<app>.localhost`, which browsers resolve to this machine. So the
 * cookies, storage and sockets of an app are separate from the agent's and from those of other apps.
 */
export class PreviewServer {
  readonly #options: PreviewServerOptions;
  readonly #servers: Server[] = [];
  readonly #joined = new Set<Duplex>();
  /** The origins of the agent's page. */
  #framers: readonly string[] = [];
  #port = 0;

  private constructor(options: PreviewServerOptions) {
    this.#options = options;
  }

  static async start(options: PreviewServerOptions): Promise<PreviewServer> {
    const server = new PreviewServer(options);
    await server.#listen();
    return server;
  }

  get port(): number {
    return this.#port;
  }

  originOf(appId: string): string {
    return `http://${appId}.localhost:${this.#port}`;
  }

  /** Called once the agent listens. */
  setFramers(port: number): void {
    this.#framers = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
  }

  async close(): Promise<void> {
    for (const socket of this.#joined) socket.destroy();
    await Promise.all(this.#servers.map(closed));
  }

  /** Listens on both loopback addresses. Otherwise another user could take the second one, and be shown in its place. */
  async #listen(): Promise<void> {
    for (let tries = 1; ; tries++) {
      const first = this.#make();
      await listening(first, '127.0.0.1', 0);
      const { port } = first.address() as AddressInfo;
      const second = this.#make();
      const taken = await listening(second, '::1', port).then(
        () => this.#servers.push(second),
        (error: unknown) => error,
      );
      // A machine without IPv6 has no second address.
      if (!(taken instanceof Error) || (taken as NodeJS.ErrnoException).code !== 'EADDRINUSE') {
        this.#servers.push(first);
        this.#port = port;
        return;
      }
      await closed(first);
      if (tries === portTries) throw taken;
    }
  }

  #make(): Server {
    // A page of an app may send and receive any amount for any time.
    const server = createServer({ requestTimeout: 0, headersTimeout: 15_000, maxHeaderSize: 65_536 });
    server.maxConnections = maxSockets;
    boundIdleSockets(server, maxIdleSockets);
    server.on('request', (request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        this.#options.log.error({ code: (error as { code?: unknown }).code }, 'a page of an app could not be shown');
        response.destroy();
      });
    });
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    return server;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    const verdict = judge(request, this.#port);
    if ('status' in verdict) return respondText(response, verdict.status, verdict.message);
    const framers = this.#framers;
    if (request.url === clientPath) return this.#answerClient(response);
    const target = this.#options.targetOf(verdict.appId);
    if (target !== undefined) return await forward(request, response, { target, framers });
    respondPage(response, framers, {
      status: 503,
      title: 'The app is not running',
      text: 'Start it in the preview of the agent.',
    });
  }

  #answerClient(response: ServerResponse): void {
    const headers = {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    };
    response.writeHead(200, headers).end(clientScript(this.#framers));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Without a listener an error of the socket ends the process.
    socket.on('error', () => {});
    const verdict = judge(request, this.#port, { isUpgrade: true });
    const target = 'status' in verdict ? undefined : this.#options.targetOf(verdict.appId);
    if (target === undefined) {
      const status = 'status' in verdict ? verdict.status : 503;
      socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    this.#joined.add(socket);
    socket.once('close', () => this.#joined.delete(socket));
    forwardUpgrade(request, socket, head, target);
  }
}

async function listening(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, ipv6Only: host === '::1' }, () => resolve(void server.off('error', reject)));
  });
}

async function closed(server: Server): Promise<void> {
  const done = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await done;
}

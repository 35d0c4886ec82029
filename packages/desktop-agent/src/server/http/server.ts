import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { AgentError, socketPath, type Handlers } from '../../shared/contract/index.ts';
import type { Logger } from '../log.ts';
import { Connection } from './connection.ts';
import { Guard, type Refusal } from './guard.ts';
import { respondText } from './respond.ts';
import { answerHttp, type HttpOptions } from './http.ts';
import { boundIdleSockets } from './idle-sockets.ts';
import { PageFiles } from './page-files.ts';
import type { Pages } from './pages.ts';

/** Far more than the windows of one person. */
const maxSockets = 64;
/** Sockets that have not given the token yet. Above this the oldest ends; a page gives the token in its first frame. */
const maxStrangers = 32;
/** The largest frame that a page may send, in bytes. A file in the editor is the largest thing that it sends. */
const maxFrame = 16 * 1024 * 1024;

export interface ServerOptions {
  /** 0 takes any free port. */
  port: number;
  /** Where the built page is. */
  pageFolder: string;
  pages: Pages;
  previewPort: HttpOptions['previewPort'];
  handlers: Handlers;
  upload: HttpOptions['upload'];
  download: HttpOptions['download'];
  /** Makes an app of the folder that a second start of the program names. @returns the app's id */
  addFolder: (folder: string) => Promise<string>;
  log: Logger;
}

/** Serves the page and its socket, on loopback only. */
export class PageServer {
  readonly #options: ServerOptions;
  readonly #guard = new Guard();
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: maxFrame, perMessageDeflate: false });
  readonly #server: Server;

  private constructor(options: ServerOptions, page: PageFiles) {
    this.#options = options;
    const open = async (folder: string | null): Promise<string> =>
      this.makeTicketUrl(folder === null ? undefined : await options.addFolder(folder));
    const { upload, download, previewPort } = options;
    const http: HttpOptions = { guard: this.#guard, page, previewPort, upload, download, open };
    // An upload has no time limit here, because uploads have their own limit for a peer that sends nothing.
    this.#server = createServer({ requestTimeout: 0, headersTimeout: 15_000, maxHeaderSize: 16_384 });
    this.#server.maxConnections = 4 * maxSockets;
    boundIdleSockets(this.#server, maxSockets);
    this.#server.on('request', (request, response) => {
      answerHttp(request, response, http).catch((error: unknown) => {
        options.log.error({ code: (error as { code?: unknown }).code }, 'an address could not be answered');
        if (response.headersSent) response.destroy();
        else respondText(response, 500, 'Something went wrong in mustard-agent. The log has the details.');
      });
    });
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** @throws {AgentError} `busy` when the port is taken */
  static async start(options: ServerOptions): Promise<PageServer> {
    const server = new PageServer(options, await PageFiles.of(options.pageFolder));
    await server.#listen();
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The address with the token. It is for the person, and never for a log. */
  get url(): string {
    return `${this.#origin}/#token=${this.#guard.token}`;
  }

  /** An address to start a browser with. It opens one page, within five minutes. @param appId the app to show */
  makeTicketUrl(appId?: string): string {
    return `${this.#origin}/#ticket=${this.#guard.makeTicket()}${appId === undefined ? '' : `&app=${appId}`}`;
  }

  get #origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Stops listening and ends every connection. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#options.pages.close();
    this.#server.closeAllConnections();
    for (const socket of this.#sockets.clients) setTimeout(() => socket.terminate(), 500).unref();
    await closed;
  }

  async #listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#options.port, '127.0.0.1', () => resolve(void this.#server.off('error', reject)));
    }).catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== 'EADDRINUSE') throw error;
      throw new AgentError('busy', `Port ${this.#options.port} is taken. Choose another --port, or none.`);
    });
    this.#guard.setPort(this.port);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Without a listener an error of the socket ends the process.
    socket.on('error', () => {});
    const refusal = this.#refuseUpgrade(request);
    if (refusal !== undefined) {
      const body = `${refusal.message}\n`;
      const length = Buffer.byteLength(body);
      socket.end(`HTTP/1.1 ${refusal.status} Refused\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n${body}`);
      return;
    }
    this.#options.pages.keepStrangersBelow(maxStrangers);
    this.#sockets.handleUpgrade(request, socket, head, (accepted) => {
      const connection = new Connection(accepted, {
        guard: this.#guard,
        handlers: this.#options.handlers,
        log: this.#options.log,
        onReady: () => this.#options.pages.greet(connection),
      });
      this.#options.pages.add(connection);
      accepted.on('close', () => this.#options.pages.remove(connection));
    });
  }

  #refuseUpgrade(request: IncomingMessage): { status: number; message: string } | undefined {
    const refusal: Refusal | undefined = this.#guard.refuse(request);
    if (refusal !== undefined) return refusal;
    if (request.url !== socketPath) return { status: 404, message: 'There is no socket at this address.' };
    // A browser always says which page opens a socket.
    if (request.headers.origin === undefined) return { status: 403, message: 'Only a page may open a socket.' };
    if (this.#options.pages.known >= maxSockets) return { status: 503, message: 'Too many sockets are open.' };
    return undefined;
  }
}

import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Strangers } from './strangers.ts';

/** The most bytes of header lines in a request. That is room for a token and the headers of some proxies. */
const maxHeaderSize = 16 * 1024;
/** How long a client may hold a connection while it sends its headers, in ms. */
const headersTimeout = 10_000;
/** How often that is checked, in ms. Node's default is 30 s, so a slow client could hold a connection for 40 s. */
const connectionsCheckingInterval = 2_000;
/** How long a client may hold a connection without beginning TLS, in ms. Node allows 120 s. */
const handshakeTimeout = 10_000;
/** How long a client may hold a connection while it pauses within a body, or reads nothing of an answer, in ms. */
const quietMs = 60_000;

/** Node's request and response behind those of the web API. */
export interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

export interface DoorOptions {
  tls: { cert: string; key: string } | undefined;
  /** Bounds the connections that have not shown a token. */
  strangers: Strangers;
  answer: (request: Request, env: Exchange) => Response | Promise<Response>;
}

/** An HTTP server for strangers. Headers, times and connections are bounded. */
export function createDoor({ tls, strangers, answer }: DoorOptions): Server {
  const listener = getRequestListener((request, env) => answer(request, env as Exchange), {
    overrideGlobalObjects: false,
  });
  const times = { headersTimeout, connectionsCheckingInterval, requestTimeout: 0, keepAliveTimeout: 30_000 };
  const limits = { maxHeaderSize, ...times };
  const server =
    tls === undefined ? createHttpServer(limits) : createHttpsServer({ ...limits, ...tls, handshakeTimeout });
  server.setTimeout(quietMs);
  // Even for an HTTPS server this is the connection as it was accepted.
  server.on('connection', (socket: Socket) => strangers.came(socket));
  server.on('request', (request, response) => void listener(request, response));
  return server;
}

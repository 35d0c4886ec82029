import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Strangers } from './strangers.ts';

/** Header lines of one request. Enough for a token and the headers of some proxies. */
const maxHeaderSize = 16 * 1024;
/** A client that sends its headers slowly holds a connection no longer than this. */
const headersTimeout = 10_000;
/** How often that is looked at. Node does so every 30 s, so a slow client would hold a connection for 40. */
const connectionsCheckingInterval = 2_000;
/** A client that begins no TLS holds a connection no longer than this. Node allows 120 s. */
const handshakeTimeout = 10_000;
/** A client that pauses within a body, or takes no more of an answer, holds its connection no longer than this. */
const quietMs = 60_000;

/** The request and the answer of Node behind those of the web. */
export interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

export interface DoorOptions {
  tls: { cert: string; key: string } | undefined;
  /** Bounds the connections that have shown no token. */
  strangers: Strangers;
  answer: (request: Request, env: Exchange) => Response | Promise<Response>;
}

/** An HTTP server for strangers: bounded in headers, in time and in connections. */
export function createDoor({ tls, strangers, answer }: DoorOptions): Server {
  const listener = getRequestListener((request, env) => answer(request, env as Exchange), {
    overrideGlobalObjects: false,
  });
  const times = { headersTimeout, connectionsCheckingInterval, requestTimeout: 0, keepAliveTimeout: 30_000 };
  const limits = { maxHeaderSize, ...times };
  const server =
    tls === undefined ? createHttpServer(limits) : createHttpsServer({ ...limits, ...tls, handshakeTimeout });
  server.setTimeout(quietMs);
  // Also of an HTTPS server this is the connection as it was accepted.
  server.on('connection', (socket: Socket) => strangers.came(socket));
  server.on('request', (request, response) => void listener(request, response));
  return server;
}

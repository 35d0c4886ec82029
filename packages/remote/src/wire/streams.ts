import type { Duplex } from 'node:stream';
import { createWebSocketStream, type WebSocket } from 'ws';

/** The bytes of a WebSocket, with back pressure: what is not read holds up the peer. */
export function streamOf(socket: WebSocket): Duplex {
  const stream = createWebSocketStream(socket);
  // Its end is noticed by the connection. Without a listener an error would end the process.
  stream.on('error', () => {});
  return stream;
}

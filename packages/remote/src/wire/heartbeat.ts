import type { WebSocket } from 'ws';

/** A connection that has not answered for two of these intervals, in ms, is gone. */
const heartbeatMs = 15_000;

/** Ends a connection whose other end does not answer, because a machine that was switched off never reports its end. */
export function keepAlive(socket: WebSocket): () => void {
  let answered = true;
  socket.on('pong', () => (answered = true));
  const timer = setInterval(() => {
    if (!answered) return socket.terminate();
    answered = false;
    socket.ping();
  }, heartbeatMs).unref();
  return () => clearInterval(timer);
}

import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';

/**
 * How many bytes may wait for a server that reads slowly. A connection with more than twice the largest message waiting
 * is given up.
 */
const mostAhead = 4 * 1024 * 1024;

/** Waits until the server has read most of what was sent to it. Callers continue one after the other. */
export function roomOf(socket: WebSocket, raw: Socket): () => Promise<void> | undefined {
  let last: Promise<void> | undefined;
  const isFull = (): boolean => socket.readyState === socket.OPEN && socket.bufferedAmount > mostAhead;
  const read = async (before: Promise<void> | undefined): Promise<void> => {
    if (before !== undefined) {
      await before;
      // By then the previous caller has written.
      await new Promise((resolve) => setImmediate(resolve));
    }
    while (isFull()) {
      await new Promise<void>((resolve) => {
        const go = (): void => {
          raw.off('drain', go).off('close', go);
          resolve();
        };
        raw.on('drain', go).on('close', go);
      });
    }
  };
  return () => {
    if (last === undefined && !isFull()) return undefined;
    const own = read(last).finally(() => {
      if (last === own) last = undefined;
    });
    last = own;
    return own;
  };
}

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Ends the oldest idle connection when there are more than `most`, so that someone who only opens connections cannot keep
 * the person out. Uploads and the sockets of pages do not count as idle.
 */
export function boundIdleSockets(server: Server, most: number): void {
  const idle = new Set<Socket>();
  const add = (socket: Socket): void => {
    if (socket.destroyed) return;
    idle.add(socket);
    const [oldest] = idle;
    if (idle.size > most) oldest?.destroy();
  };
  server.on('connection', (socket: Socket) => {
    socket.once('close', () => idle.delete(socket));
    add(socket);
  });
  server.on('request', ({ socket }, response: ServerResponse) => {
    idle.delete(socket);
    response.once('close', () => add(socket));
  });
  server.on('upgrade', ({ socket }) => void idle.delete(socket));
}

import { once } from 'node:events';
import { chmod, lstat, rm } from 'node:fs/promises';
import { connect, type AddressInfo, type Server } from 'node:net';
import { unixAddress } from '../wire/address.ts';
import type { ResolvedServerOptions } from './options.ts';

/**
 * Begins to listen.
 *
 * @returns the address for clients
 * @throws {Error} with the `code` of the system
 */
export async function listenAt(
  server: Server,
  { place, tls }: Pick<ResolvedServerOptions, 'place' | 'tls'>,
): Promise<string> {
  if ('path' in place) {
    await removeStale(place.path);
    await listen(() => server.listen(place.path), server);
    // Node makes it with the rights of a new file, which never let others connect; a strange umask might.
    await chmod(place.path, 0o600);
    return unixAddress(place.path);
  }
  await listen(() => server.listen(place.port, place.host), server);
  const { address, family, port } = server.address() as AddressInfo;
  const host = family === 'IPv6' ? `[${address}]` : address;
  return `${tls === undefined ? 'http' : 'https'}://${host}:${port}`;
}

async function listen(begin: () => void, server: Server): Promise<void> {
  begin();
  await once(server, 'listening');
}

/** Removes the socket of a server that was killed. One that answers stays, and so does any other file. */
async function removeStale(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isSocket() !== true || (await answers(path))) return;
  await rm(path, { force: true });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket
      .once('connect', () => settle(true))
      .once('error', ({ code }: NodeJS.ErrnoException) => settle(code !== 'ECONNREFUSED'));
  });
}

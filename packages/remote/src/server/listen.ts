import { once } from 'node:events';
import { chmod, lstat, rm } from 'node:fs/promises';
import { connect, type AddressInfo, type Server } from 'node:net';
import { invalidRequest } from '@mustard-sandbox/protocol';
import { unixAddress, unixPathOf, wrongUnixPath } from '../wire/address.ts';

/** Where a server listens. */
export type ListenAddress = { host: string; port: number } | { path: string };

/**
 * Parses an address such as `127.0.0.1:7777`, `[::1]:0` or `unix:/PATH`.
 *
 * @param where the function whose option it is
 * @throws {SandboxError} `invalid_request`
 */
export function parseAddress(listen: string, where: string): ListenAddress {
  const path = unixPathOf(listen);
  if (path !== undefined) {
    const why = wrongUnixPath(path);
    if (why !== undefined) throw invalidRequest(where, 'listen', why);
    return { path };
  }
  const [, host, digits] = /^(\[[\da-f:.%a-z]+\]|[^:[\]]+):(\d{1,5})$/i.exec(listen) ?? [];
  const port = Number(digits);
  if (host !== undefined && port <= 65_535) return { host: host.replace(/^\[|\]$/g, ''), port };
  throw invalidRequest(where, 'listen', `${JSON.stringify(listen)} is not ADDRESS:PORT or unix:/PATH`);
}

interface Listening {
  /** The address as it was given. */
  listen: string;
  address: ListenAddress;
  tls?: object | undefined;
}

/**
 * Begins to listen.
 *
 * @param where the function that is called for it
 * @returns the address for clients
 * @throws {SandboxError} `invalid_request` with the code of the system
 */
export async function listenAt(server: Server, listening: Listening, where: string): Promise<string> {
  try {
    return await begin(server, listening);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw invalidRequest(where, `cannot listen at ${listening.listen} (${code ?? 'error'})`);
  }
}

async function begin(server: Server, { address, tls }: Listening): Promise<string> {
  if ('path' in address) {
    await removeStale(address.path);
    await listen(() => server.listen(address.path), server);
    // Node makes the socket with the rights of a new file, which never let others connect. An unusual umask might.
    await chmod(address.path, 0o600);
    return unixAddress(address.path);
  }
  await listen(() => server.listen(address.port, address.host), server);
  const { address: ip, family, port } = server.address() as AddressInfo;
  const host = family === 'IPv6' ? `[${ip}]` : ip;
  return `${tls === undefined ? 'http' : 'https'}://${host}:${port}`;
}

async function listen(begin: () => void, server: Server): Promise<void> {
  begin();
  await once(server, 'listening');
}

/** Removes the socket of a server that was killed. A socket that answers stays, and so does any other file. */
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

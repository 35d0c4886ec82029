import { isIP } from 'node:net';

const unixPrefix = 'unix:';

/** The path in `unix:/run/sandbox.sock`; `undefined` for any other address. */
export function unixPathOf(address: string): string | undefined {
  return address.startsWith(unixPrefix) ? address.slice(unixPrefix.length) : undefined;
}

/** The address of a Unix socket. */
export function unixAddress(path: string): string {
  return unixPrefix + path;
}

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Why there can be no socket at a path; `undefined` when there can. */
export function wrongUnixPath(path: string): string | undefined {
  if (!path.startsWith('/')) return 'the path of a Unix socket must be absolute';
  // The kernel has room for this many bytes, and silently cuts off a longer path.
  const isLong = Buffer.byteLength(path) > 103;
  return isLong ? 'the path of a Unix socket may have 103 bytes' : undefined;
}

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

/** Whether nobody but this machine can reach an address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Why no socket can be at a path; `undefined` where one can. */
export function wrongUnixPath(path: string): string | undefined {
  if (!path.startsWith('/')) return 'the path of a Unix socket must be absolute';
  // What the kernel has room for; a longer one it cuts off without a word.
  const isLong = Buffer.byteLength(path) > 103;
  return isLong ? 'the path of a Unix socket may have 103 bytes' : undefined;
}

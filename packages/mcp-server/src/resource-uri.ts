import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

const scheme = 'attachments:';

/**
 * An RFC 6570 template. The name is in the path and not in the host, because a client may put a host into lower case.
 */
export const resourceTemplate = `${scheme}///{name}{?start,length}`;

/** A range of a file, in bytes. */
export interface Range {
  start?: number;
  length?: number;
}

export function resourceUri(name: string): string {
  return `${scheme}///${encodeURIComponent(name)}`;
}

/** @throws {ProtocolError} invalid params, with the problem of the URI */
export function parseResourceUri(uri: string): { name: string } & Range {
  try {
    const { protocol, host, pathname, searchParams } = new URL(uri);
    const name = decodeURIComponent(pathname.slice(1));
    if (protocol === scheme && host === '' && name !== '') return { name, ...parseRange(searchParams) };
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
  }
  throw invalidParams(
    `${JSON.stringify(uri)} is not a resource of this server. Its resources are ${resourceTemplate}.`,
  );
}

function parseRange(parameters: URLSearchParams): Range {
  const range: Range = {};
  for (const [key, value] of parameters) {
    if (key !== 'start' && key !== 'length') {
      throw invalidParams(`A resource has the parameters start and length, but not ${JSON.stringify(key)}.`);
    }
    const bytes = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (range[key] !== undefined || Number.isNaN(bytes)) {
      throw invalidParams(`${key}=${value}: it must be one whole number of bytes, from 0.`);
    }
    range[key] = bytes;
  }
  return range;
}

export function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

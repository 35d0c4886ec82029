import type { ServerResponse } from 'node:http';
import { securityHeaders } from './headers.ts';

export function respondText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  respond(response, status, `${text}\n`, { ...headers, 'content-type': 'text/plain; charset=utf-8' });
}

export function respondJson(response: ServerResponse, status: number, value: unknown): void {
  respond(response, status, JSON.stringify(value), { 'content-type': 'application/json; charset=utf-8' });
}

function respond(response: ServerResponse, status: number, body: string, headers: Record<string, string>): void {
  // Otherwise the unread rest of a refused request would be taken for the next request.
  const close = response.req.complete ? {} : { connection: 'close' };
  response.writeHead(status, {
    ...securityHeaders(),
    ...headers,
    ...close,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

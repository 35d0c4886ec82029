import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { uploadPath } from '../../contract/index.ts';
import type { Guard } from './guard.ts';
import { securityHeaders } from './headers.ts';
import type { PageFiles } from './page-files.ts';

/** Where index.html has the nonce of its styles. */
const noncePlace = '{{nonce}}';

export type UploadHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
) => Promise<void>;

export interface HttpOptions {
  guard: Guard;
  page: PageFiles;
  upload: UploadHandler;
}

/** Answers everything that is no upgrade: the files of the page, and uploads. */
export async function answerHttp(
  request: IncomingMessage,
  response: ServerResponse,
  { guard, page, upload }: HttpOptions,
): Promise<void> {
  const refusal = guard.refuse(request);
  if (refusal !== undefined) return answerText(response, refusal.status, refusal.message);
  const { pathname, searchParams } = addressOf(request);
  if (pathname === uploadPath) {
    if (request.method !== 'PUT') return answerText(response, 405, 'Only PUT.', { allow: 'PUT' });
    if (!guard.authorizes(request)) return answerText(response, 401, 'The token is missing or wrong.');
    return await upload(request, response, searchParams);
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return answerText(response, 405, 'Only GET.', { allow: 'GET, HEAD' });
  }
  // In an address the token would be in the history and in logs of what is between: a fragment is not sent.
  if (searchParams.size > 0) return answerText(response, 400, 'This address takes no query.');
  const file = await page.read(pathname);
  if (file === undefined) return answerText(response, 404, 'There is nothing at this address.');
  const nonce = pathname === '/' || pathname.endsWith('.html') ? randomBytes(16).toString('base64url') : undefined;
  const content =
    nonce === undefined ? file.content : Buffer.from(file.content.toString('utf8').replaceAll(noncePlace, nonce));
  response.writeHead(200, {
    ...securityHeaders(nonce),
    'content-type': file.mediaType,
    'content-length': content.length,
  });
  response.end(request.method === 'HEAD' ? undefined : content);
}

export function answerText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  // What was not read of a request that is refused would be taken for the next one.
  const close = response.req.complete ? {} : { connection: 'close' };
  response.writeHead(status, {
    ...securityHeaders(),
    ...headers,
    ...close,
    'content-type': 'text/plain; charset=utf-8',
  });
  response.end(`${text}\n`);
}

export function answerJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { ...securityHeaders(), 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(value));
}

function addressOf({ url = '/' }: IncomingMessage): URL {
  // `//host/path` and `http://host/path` would name another host. The path is all that counts here.
  return URL.canParse(`http://page.invalid${url}`) && url.startsWith('/')
    ? new URL(`http://page.invalid${url}`)
    : new URL('http://page.invalid/%00');
}

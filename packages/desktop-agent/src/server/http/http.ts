import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AgentError, fileSources, uploadPath, workspacePath, type FileSource } from '../../shared/contract/index.ts';
import { respondJson, respondText } from './respond.ts';
import type { Guard } from './guard.ts';
import { securityHeaders } from './headers.ts';
import type { PageFiles } from './page-files.ts';

/** The placeholder in index.html for the nonce of its styles. */
const noncePlace = '{{nonce}}';

export type UploadHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
) => Promise<void>;

export interface HttpOptions {
  guard: Guard;
  page: PageFiles;
  /** The port of the apps that the page may show. */
  previewPort: number;
  upload: UploadHandler;
  /** Reads a file of a chat's workspace by its path, or a saved file or a picture by its name. @throws {AgentError} */
  download: (chatId: string, path: string, from: FileSource) => Promise<Buffer>;
  /** For a second start of the program. @returns the address to open, with a ticket */
  open: (folder: string | null) => Promise<string>;
}

/** The path at which a second start of the program asks the first one for an address to open. */
export const openPath = '/open';

/** Answers all requests but upgrades: the files of the page, uploads, and a second start of the program. */
export async function answerHttp(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpOptions,
): Promise<void> {
  const refusal = options.guard.refuse(request);
  if (refusal !== undefined) return respondText(response, refusal.status, refusal.message);
  const { pathname, searchParams } = addressOf(request);
  if (pathname === workspacePath) return await answerDownload(request, response, options, searchParams);
  if (pathname !== uploadPath && pathname !== openPath) return await answerPage(request, response, options);
  if (request.method !== 'PUT') return respondText(response, 405, 'Only PUT.', { allow: 'PUT' });
  if (!options.guard.authorizes(request)) return respondText(response, 401, 'The token is missing or wrong.');
  if (pathname === uploadPath) return await options.upload(request, response, searchParams);
  await answerOpen(response, options, searchParams.get('folder'));
}

async function answerDownload(
  request: IncomingMessage,
  response: ServerResponse,
  { guard, download }: HttpOptions,
  query: URLSearchParams,
): Promise<void> {
  if (request.method !== 'GET') return respondText(response, 405, 'Only GET.', { allow: 'GET' });
  if (!guard.authorizes(request)) return respondText(response, 401, 'The token is missing or wrong.');
  await orRefusal(response, async () => {
    const from = fileSources.find((one) => one === query.get('from')) ?? 'workspace';
    const content = await download(query.get('chat') ?? '', query.get('path') ?? '', from);
    // The browser must not show the file, whatever is in it.
    const headers = { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' };
    response.writeHead(200, { ...securityHeaders(), ...headers, 'content-length': content.length });
    response.end(content);
  });
}

async function answerOpen(response: ServerResponse, { open }: HttpOptions, folder: string | null): Promise<void> {
  await orRefusal(response, async () => respondJson(response, 200, { url: await open(folder) }));
}

async function orRefusal(response: ServerResponse, answer: () => Promise<void>): Promise<void> {
  try {
    await answer();
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    respondJson(response, error.code === 'not_found' ? 404 : 400, { code: error.code, message: error.message });
  }
}

async function answerPage(
  request: IncomingMessage,
  response: ServerResponse,
  { page, previewPort }: HttpOptions,
): Promise<void> {
  const { pathname, search } = addressOf(request);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return respondText(response, 405, 'Only GET.', { allow: 'GET, HEAD' });
  }
  // A token in the query would be in the history and in the logs of proxies. The page has it in the fragment instead.
  if (search !== '') return respondText(response, 400, 'This address takes no query.');
  const file = await page.read(pathname);
  if (file === undefined) return respondText(response, 404, 'There is nothing at this address.');
  const nonce = file.mediaType.startsWith('text/html') ? randomBytes(16).toString('base64url') : undefined;
  const content =
    nonce === undefined ? file.content : Buffer.from(file.content.toString('utf8').replaceAll(noncePlace, nonce));
  response.writeHead(200, {
    ...securityHeaders(nonce, previewPort),
    'content-type': file.mediaType,
    'content-length': content.length,
  });
  response.end(request.method === 'HEAD' ? undefined : content);
}

function addressOf({ url = '/' }: IncomingMessage): URL {
  // `//host/path` and `http://host/path` would name another host. Only the path is used.
  const whole = `http://page.invalid${url}`;
  return new URL(url.startsWith('/') && URL.canParse(whole) ? whole : 'http://page.invalid/%00');
}

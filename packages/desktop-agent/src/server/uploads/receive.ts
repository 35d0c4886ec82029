import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import { AgentError } from '../../shared/contract/index.ts';
import { respondJson } from '../http/respond.ts';
import { toAgentError } from '../http/dispatch.ts';
import type { UploadHandler } from '../http/http.ts';
import type { Services } from '../services.ts';

/** How long a page may send nothing, in ms, before the upload fails. */
const idleMs = 60_000;
const maxBytes = 64 * 1024 ** 3;
const maxNameLength = 1000;

/** `PUT /uploads?chat=…&name=…`: the body is the file. It is streamed to the store, and kept only if it is whole. */
export function receiveUploads({ uploads, log }: Pick<Services, 'uploads' | 'log'>): UploadHandler {
  return async (request, response, query) => {
    try {
      const { chat, name } = namesOf(query);
      respondJson(response, 201, await uploads.add(chat, bytesOf(request), name));
    } catch (error) {
      if (request.destroyed && !request.complete) return;
      const { code, message } = ofStore(error) ?? toAgentError(error, log, 'uploads');
      respondJson(response, code === 'internal' ? 500 : code === 'disk_full' ? 507 : 400, { code, message });
    }
  };
}

function namesOf(query: URLSearchParams): { chat: string; name: string } {
  const chat = query.get('chat');
  const name = query.get('name');
  if (query.size !== 2 || !chat || !name || name.length > maxNameLength || chat.length > 64) {
    throw new AgentError('invalid_request', 'An upload has a chat and a name.');
  }
  return { chat, name };
}

function bytesOf(request: IncomingMessage): AsyncIterable<Uint8Array> {
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      if (bytes <= maxBytes) done(null, chunk);
      else done(new AgentError('limit_exceeded', 'The file is larger than 64 GiB.'));
    },
  });
  request.setTimeout(idleMs, () => request.destroy());
  // A page that goes away in the middle ends the copy with an error, so that no half file is kept.
  request.on('error', (error) => count.destroy(error));
  request.on('close', () => {
    if (!request.complete) count.destroy(new Error('the page went away'));
  });
  return request.pipe(count);
}

/** Errors of the attachment store have messages for a person, so they are passed on. */
function ofStore(error: unknown): AgentError | undefined {
  if (!(error instanceof Error) || error.name !== 'AttachmentError') return undefined;
  const { code, cause } = error as Error & { code?: unknown };
  if (cause instanceof AgentError) return cause;
  return new AgentError(code === 'disk_full' ? 'disk_full' : 'internal', error.message);
}

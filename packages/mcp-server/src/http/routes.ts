import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLegacyRequest, OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';
import { SandboxError, toSandboxError } from '@mustard-sandbox/protocol';
import { refused, statusOf, type Admission } from '@mustard-sandbox/remote/door';
import type { Tickets } from '../tickets.ts';
import type { Authorization, User } from './authorization.ts';
import { readMessage } from './body.ts';
import { endpoint, type HttpOptions } from './options.ts';
import { countIn, type Tenant, type Tenants } from './tenants.ts';
import type { Upload } from './uploads.ts';

export interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  options: HttpOptions;
  admission: Admission<User>;
  authorization: Authorization | undefined;
  tenants: Tenants;
  tickets: Tickets<Upload>;
  /** Whether new work is accepted. */
  isOpen: boolean;
}

const files = '/files/';

/** Answers every request. It never throws. */
export async function answerRequest(request: Request, exchange: Exchange): Promise<Response> {
  try {
    return await answer(request, exchange);
  } catch (error) {
    return problemResponse(error, exchange);
  }
}

async function answer(request: Request, exchange: Exchange): Promise<Response> {
  const { incoming, outgoing, options, admission, authorization, tenants, isOpen } = exchange;
  const { pathname } = new URL(request.url);
  // A load balancer asks without a token, by any name. It learns nothing else.
  if (pathname === '/health') {
    return Response.json({ status: isOpen ? 'ok' : 'shutting down' }, { status: isOpen ? 200 : 503 });
  }
  admission.refusePages(incoming.headers);
  if (!isOpen) throw refused(503, 'The server is shutting down.');
  const metadata = await authorization?.metadata(request);
  if (metadata !== undefined) return metadata;
  if (pathname.startsWith(files)) return await upload(pathname.slice(files.length), exchange);
  const { name } = await admission.whose(incoming);
  const tenant = await tenants.get(name);
  countIn(tenant, outgoing, options);
  const response = await answerTenant(request, pathname, tenant, exchange);
  tenant.metrics.count('http_responses_total', 1, { status: `${response.status}` });
  return response;
}

async function answerTenant(
  request: Request,
  pathname: string,
  tenant: Tenant,
  { incoming, outgoing }: Exchange,
): Promise<Response> {
  if (pathname === '/metrics' && request.method === 'GET') {
    const { sessions, requests, posts } = tenant;
    // These are the figures of this user alone, because a user must not learn how much others do.
    const text = tenant.metrics.render({ sessions: sessions.size, requests, posts });
    return new Response(text, { headers: { 'content-type': 'text/plain; version=0.0.4' } });
  }
  if (pathname !== endpoint) throw refused(404, 'There is nothing at this address.');
  if (request.method !== 'POST') return await tenant.sessions.answer(request, outgoing);
  tenant.posts++;
  outgoing.once('close', () => tenant.posts--);
  const body = await readMessage(incoming, tenant.arriving);
  if ('refusal' in body) return body.refusal;
  const { message } = body;
  if (await isLegacyRequest(request, message)) return await tenant.sessions.answer(request, outgoing, message);
  return await tenant.stateless.fetch(request, { parsedBody: message });
}

async function upload(ticket: string, { incoming, outgoing, options, tenants, tickets }: Exchange): Promise<Response> {
  if (incoming.method !== 'PUT') throw refused(405, 'A file is sent with PUT.');
  const good = await tickets.redeem(ticket);
  if (good === undefined) {
    throw refused(403, 'This address was used, is too old, or was never given. Ask upload_file for a new one.');
  }
  const tenant = await tenants.get(good.user);
  countIn(tenant, outgoing, options);
  const workspace = await tenant.host.workspaces.at(options.server.root);
  const response = await tenant.uploads.take(good, incoming, workspace.files);
  await workspace.checkFiles();
  tenant.metrics.count('uploads_total');
  return response;
}

function problemResponse(error: unknown, { authorization, incoming }: Exchange): Response {
  // The rest of a refused body is not read.
  const headers = { connection: 'close' };
  if (error instanceof OAuthError && authorization !== undefined) return authorization.challenge(error);
  const known = error instanceof SandboxError ? error : toSandboxError(error);
  const status = statusOf(known);
  if (status === 401 && authorization !== undefined) {
    return authorization.challenge(new OAuthError(OAuthErrorCode.InvalidToken, known.message));
  }
  // For an unexpected error, the answer only says that it happened.
  const message = status === 500 ? 'The server could not answer.' : known.message;
  if (!incoming.complete) incoming.resume();
  return Response.json({ error: { code: known.code, message } }, { status, headers });
}

import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono, type Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { toSandboxError } from '@mustard-sandbox/protocol';
import { maxFileBytes } from '../wire/files.ts';
import { refused, statusOf } from '../store/problems.ts';
import { unhashedName } from '../store/uploads.ts';
import { cleanError } from './clean.ts';
import type { Exchange } from './door.ts';
import type { Metrics } from './metrics.ts';
import type { Tenant } from './tenant.ts';

type Env = { Bindings: Exchange; Variables: { tenant: Tenant } };

export interface RouteContext {
  /** Metrics of requests without a tenant. */
  metrics: Metrics;
  /** The tenant of a request. @throws {SandboxError} with a `status` for a request that is refused */
  admit: (request: Exchange['incoming']) => Promise<Tenant>;
  gauges: (tenant: Tenant) => Record<string, number>;
  /** Whether new work is accepted. */
  isOpen: () => boolean;
  /** How many requests one token may have at a time. */
  maxRequests: number;
}

/** The routes for everything except WebSockets. */
export function createRoutes({ metrics, admit, gauges, isOpen, maxRequests }: RouteContext): Hono<Env> {
  const app = new Hono<Env>();
  // A load balancer asks without a token. It learns nothing else.
  app.get('/health', (context) =>
    isOpen() ? context.json({ status: 'ok' }) : context.json({ status: 'shutting down' }, 503),
  );
  app.use('*', async (context, next) => {
    const tenant = await admit(context.env.incoming);
    context.set('tenant', tenant);
    countIn(tenant, context.env.outgoing, maxRequests);
    await next();
  });
  // These are the figures of this token alone, because a client must not learn how much others do.
  app.get('/metrics', (context) => {
    const tenant = context.get('tenant');
    const figures = tenant.metrics.render(gauges(tenant));
    return context.text(figures, 200, { 'content-type': 'text/plain; version=0.0.4' });
  });
  // A blob is named by its hash, or by a name of the client, with the hash at the end.
  for (const [address, nameOf] of [
    ['/v1/blobs/:hash', (name: string) => name],
    ['/v1/uploads/:hash', unhashedName],
  ] as const) {
    app.get(address, async (context) => {
      const { hash, total } = readUpload(context);
      const { done, offset } = await context.get('tenant').uploads.status(nameOf(hash), total);
      return context.json({ done, offset });
    });
    app.patch(address, async (context) => {
      const { hash, total, offset, sha256 } = readPart(context);
      // The stream of Node is used, because it moves twice as many bytes a second as that of the web API.
      const body = context.env.incoming;
      const part = { total, offset, body, sha256 };
      const answer = await context.get('tenant').uploads.append(nameOf(hash), part);
      context.get('tenant').metrics.count('uploaded_bytes_total', answer.offset - offset);
      return context.json(answer);
    });
  }
  app.get('/v1/artifacts/:id', async (context) => await sendArtifact(context));
  app.notFound((context) => context.json(problem('There is nothing at this address.', 404), 404));
  app.onError((error, context) => {
    const clean = cleanError(toSandboxError(error), 'remote');
    const status = statusOf(clean);
    // The connection of a client without a token is not kept.
    const tenant = context.get('tenant') as Tenant | undefined;
    const headers = tenant === undefined ? { connection: 'close' } : {};
    (tenant?.metrics ?? metrics).count('http_errors_total', 1, { status: `${status}` });
    return context.json({ error: clean.toJSON() }, status as ContentfulStatusCode, headers);
  });
  return app;
}

/**
 * Counts a request until its answer is sent or the client is gone.
 *
 * @throws {SandboxError} with the status 429
 */
function countIn(tenant: Tenant, outgoing: Exchange['outgoing'], maxRequests: number): void {
  if (tenant.requests >= maxRequests) {
    throw refused(429, `${maxRequests} requests of this token are under way (maxRequests). Wait for some to end.`);
  }
  // It is gone already, and its end will not be reported again.
  if (outgoing.destroyed) return;
  tenant.requests++;
  outgoing.once('close', () => tenant.requests--);
}

const isHash = /^[0-9a-f]{64}$/;

function problem(message: string, status: number): object {
  return { error: refused(status, message).toJSON() };
}

function readUpload(context: Context<Env>): { hash: string; total: number } {
  const hash = context.req.param('hash') ?? '';
  if (!isHash.test(hash)) throw refused(400, 'A blob is named by its SHA-256 in lower-case hex.');
  const total = wholeNumber(context.req.header('upload-length'), 'Upload-Length');
  if (total > maxFileBytes) throw refused(413, `A file of ${total} bytes is over the limit of ${maxFileBytes}.`);
  return { hash, total };
}

function readPart(context: Context<Env>): { hash: string; total: number; offset: number; sha256: string | undefined } {
  const sha256 = context.req.header('upload-sha256');
  if (sha256 !== undefined && !isHash.test(sha256)) throw refused(400, 'Upload-Sha256 must be lower-case hex.');
  return { ...readUpload(context), offset: wholeNumber(context.req.header('upload-offset'), 'Upload-Offset'), sha256 };
}

function wholeNumber(text: string | undefined, header: string): number {
  if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text);
  throw refused(400, `The header ${header} must be a whole number.`);
}

async function sendArtifact(context: Context<Env>): Promise<Response> {
  const found = context.get('tenant').artifacts.find(context.req.param('id') ?? '');
  if (found === undefined) throw refused(404, 'There is no such artifact. It is kept for 15 minutes.');
  const { size, mediaType, sha256 } = found.handle;
  const [, first] = /^bytes=(\d{1,15})-$/.exec(context.req.header('range') ?? '') ?? [];
  const start = first === undefined ? 0 : Number(first);
  if (start > size) throw refused(416, `The artifact has ${size} bytes.`);
  const { outgoing } = context.env;
  outgoing.writeHead(first === undefined ? 200 : 206, {
    'content-type': mediaType,
    'content-length': size - start,
    'x-content-type-options': 'nosniff',
    etag: `"${sha256}"`,
  });
  context.get('tenant').metrics.count('artifact_bytes_total', size - start);
  // A client that goes away in the middle comes again for the rest.
  await pipeline(createReadStream(found.path, { start }), outgoing).catch(() => outgoing.destroy());
  return RESPONSE_ALREADY_SENT;
}

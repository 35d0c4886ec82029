import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Target } from '../app-preview.ts';

/** Headers that belong to one connection and not to the message. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Headers of the app's answers that are dropped. The proxy decides who may frame the app and where it is reached. */
const dropped = new Set([
  'x-frame-options',
  'alt-svc',
  'strict-transport-security',
  'content-security-policy',
  'set-cookie',
  'location',
]);

/** The headers for the dev server. They have its own name, as if there were no proxy. */
export function requestHeaders(
  request: IncomingMessage,
  target: Target,
  { isDocument = false } = {},
): OutgoingHttpHeaders {
  const headers = copied(request);
  const own = ownOrigin(target);
  headers['host'] = new URL(own).host;
  if (headers['origin'] !== undefined) headers['origin'] = own;
  const { referer } = request.headers;
  if (referer !== undefined) {
    const isOfPreview = URL.canParse(referer) && new URL(referer).host === request.headers.host;
    if (isOfPreview) headers['referer'] = own + referer.slice(new URL(referer).origin.length);
    // The app need not know the page that frames it.
    else delete headers['referer'];
  }
  // The script could not be put into a compressed page.
  if (isDocument) headers['accept-encoding'] = 'identity';
  return headers;
}

/** The headers for the browser. */
export function responseHeaders(
  response: IncomingMessage,
  target: Target,
  framers: readonly string[],
): OutgoingHttpHeaders {
  const headers = copied(response);
  for (const name of dropped) delete headers[name];
  const policies = [response.headers['content-security-policy'] ?? []].flat().map(withoutFramers).filter(Boolean);
  const cookies = response.headers['set-cookie']?.map(cookieInFrame);
  const { location } = response.headers;
  return {
    ...headers,
    'content-security-policy': [...policies, framePolicy(framers)].join(', '),
    ...(cookies && { 'set-cookie': cookies }),
    ...(location !== undefined && { location: inPreview(location, target) }),
  };
}

/** The policy that says who may show the preview in a frame. */
export function framePolicy(framers: readonly string[]): string {
  return `frame-ancestors 'self' ${framers.join(' ')}`;
}

/** Whether a redirect leads away from the app. @param location as `responseHeaders` gives it */
export function leadsAway(location: string): boolean {
  return URL.canParse(location) || location.startsWith('//') || location.startsWith('\\');
}

/** The nonce of the page's policy for scripts, which also lets our script run. */
export function nonceOf(response: IncomingMessage): string | undefined {
  const policy = [response.headers['content-security-policy'] ?? []].flat().join(';');
  return /'nonce-([\w+/=-]+)'/.exec(policy)?.[1];
}

function copied({ headers }: IncomingMessage): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').toLowerCase().split(/\s*,\s*/));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.has(name)));
}

function ownOrigin({ port, isSecure }: Target): string {
  return `${isSecure ? 'https' : 'http'}://localhost:${port}`;
}

function withoutFramers(policy: string): string {
  return policy
    .split(';')
    .filter((directive) => !/^\s*frame-ancestors(?:\s|$)/i.test(directive))
    .join(';')
    .trim();
}

/** In the frame of another site a page gets only cookies with `SameSite=None`, so they get it. `Domain` is removed. */
function cookieInFrame(cookie: string): string {
  const [pair = '', ...attributes] = cookie.split(';');
  const kept = attributes.filter(
    (attribute) => !/^\s*(?:domain|samesite|secure|partitioned)\s*(?:=|$)/i.test(attribute),
  );
  return [pair, ...kept, ' SameSite=None', ' Secure', ' Partitioned'].join(';');
}

/** Turns an address of the dev server into a path of the preview. */
function inPreview(location: string, target: Target): string {
  if (!URL.canParse(location)) return location;
  const { hostname, port, pathname, search, hash, protocol } = new URL(location);
  const isOwn = ['localhost', '127.0.0.1', '[::1]', '0.0.0.0'].includes(hostname) && port === String(target.port);
  return isOwn && /^https?:$/.test(protocol) ? pathname.replace(/^\/+/, '/') + search + hash : location;
}

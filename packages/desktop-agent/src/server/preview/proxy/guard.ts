import type { IncomingHttpHeaders } from 'node:http';

/** The app that a request is for, or why the request is refused. */
export type Verdict = { appId: string } | { status: 400 | 403 | 421; message: string };

interface Asked {
  method?: string | undefined;
  url?: string | undefined;
  headers: IncomingHttpHeaders;
}

/**
 * Checks each request before anything is done for it. A dev server guards itself by `Host` and `Origin`. The proxy replaces
 * these headers, so it has to guard the server.
 */
export function judge({ method, url, headers }: Asked, port: number, { isUpgrade = false } = {}): Verdict {
  const [, appId] = /^([\da-z-]{1,64})\.localhost:(?:\d+)$/.exec(headers.host ?? '') ?? [];
  // With DNS rebinding, the name of a foreign page points here. It does not end in `.localhost`.
  if (appId === undefined || headers.host !== `${appId}.localhost:${port}`) {
    return { status: 421, message: 'No app is shown by that name.' };
  }
  if (url?.startsWith('/') !== true) return { status: 400, message: 'This is not the address of an app.' };
  const foreign: Verdict = { status: 403, message: 'Another page may not use the preview.' };
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${headers.host}`) return foreign;
  // A browser always says which page opens a socket.
  if (isUpgrade && origin === undefined) return foreign;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return { appId };
  // Another page may only open whole pages: in a window, or in a frame, where the answer's policy says who may frame it.
  const isVisit = headers['sec-fetch-mode'] === 'navigate' && (method === 'GET' || method === 'HEAD');
  return isVisit && !isUpgrade ? { appId } : foreign;
}

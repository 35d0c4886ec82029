import type { IncomingHttpHeaders } from 'node:http';

/** Why a request is turned away; else the app that it is for. */
export type Verdict = { appId: string } | { status: 400 | 403 | 421; message: string };

interface Asked {
  method?: string | undefined;
  url?: string | undefined;
  headers: IncomingHttpHeaders;
}

/**
 * Looks at each request before anything is done for it. A dev server guards itself by `Host` and `Origin`, which the proxy
 * replaces: so the proxy has to guard it.
 */
export function judge({ method, url, headers }: Asked, port: number, { isUpgrade = false } = {}): Verdict {
  const [, appId] = /^([\da-z-]{1,64})\.localhost:(?:\d+)$/.exec(headers.host ?? '') ?? [];
  // A name of a page that was made to point here (DNS rebinding) is not below localhost.
  if (appId === undefined || headers.host !== `${appId}.localhost:${port}`) {
    return { status: 421, message: 'No app is shown by that name.' };
  }
  if (url?.startsWith('/') !== true) return { status: 400, message: 'This is no address of an app.' };
  const foreign: Verdict = { status: 403, message: 'Another page may not use the preview.' };
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${headers.host}`) return foreign;
  // A browser always says which page opens a socket.
  if (isUpgrade && origin === undefined) return foreign;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return { appId };
  // From another page only as a whole: in a frame, where the policy of the answer says whose, or in a window.
  const isVisit = headers['sec-fetch-mode'] === 'navigate' && (method === 'GET' || method === 'HEAD');
  return isVisit && !isUpgrade ? { appId } : foreign;
}

// Who may talk to the gallery: this machine, a page that the gallery served itself, and whoever has its token.
import { timingSafeEqual } from 'node:crypto';

/**
 * Why a request is refused; `undefined` when it is not. A page of another origin can send requests to loopback, and by a
 * name that is bound anew to 127.0.0.1 even read the answers: therefore the names in `Host` and `Origin` are compared.
 *
 * @param {import('node:http').IncomingMessage} request
 * @param {{ port: number, token: string }} own
 * @returns {{ status: number, problem: string } | undefined}
 */
export function whyRefused(request, { port, token }) {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { host = '', origin, authorization = '' } = request.headers;
  if (!hosts.includes(host)) return { status: 421, problem: 'This is not a host that the gallery serves.' };
  if (origin !== undefined && origin !== `http://${host}`) {
    return { status: 403, problem: 'A page of another origin may not use the gallery.' };
  }
  if (!request.url?.startsWith('/api/')) return undefined;
  if (request.method !== 'POST') return { status: 405, problem: 'Only POST.' };
  if (!isEqual(authorization, `Bearer ${token}`)) {
    return { status: 401, problem: 'Open the address that the command printed: it has the token.' };
  }
  return undefined;
}

function isEqual(given, wanted) {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

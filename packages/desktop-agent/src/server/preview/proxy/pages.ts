// The pages that the frame shows when the app gives none.
import type { ServerResponse } from 'node:http';
import { clientPath } from './client.ts';
import { framePolicy } from './headers.ts';

interface ShownPage {
  status: number;
  title: string;
  text: string;
  /** Another site, which opens in a new tab. */
  link?: string;
}

export function respondPage(
  response: ServerResponse,
  framers: readonly string[],
  { status, title, text, link }: ShownPage,
): void {
  const isWeb = link !== undefined && /^https?:\/\//i.test(link);
  const anchor = isWeb
    ? `<p><a href="${escaped(link)}" target="_blank" rel="noopener noreferrer">Open it in a new tab</a></p>`
    : '';
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><script src="${clientPath}"></script><title>${escaped(title)}</title><style>
:root{color-scheme:light dark}body{font:13px/20px system-ui,sans-serif;margin:24px;max-width:60ch;overflow-wrap:anywhere}h1{font-size:15px}</style></head>
<body><h1>${escaped(title)}</h1><p>${escaped(text)}</p>${anchor}</body></html>`;
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; ${framePolicy(framers)}`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  response.end(body);
}

function escaped(text: string): string {
  return text.slice(0, 2_000).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

import type { Icon } from '@modelcontextprotocol/server';

const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#d9a514"/><path d="M13 8c-4 0-2 7-5 8 3 1 1 8 5 8M19 8c4 0 2 7 5 8-3 1-1 8-5 8" fill="none" stroke="#2b2100" stroke-width="2.4" stroke-linecap="round"/></svg>`;

/** The icon of the server and its tools. It is in the message, so a client loads nothing for it. */
export const icons: Icon[] = [
  {
    src: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`,
    mimeType: 'image/svg+xml',
    sizes: ['any'],
  },
];

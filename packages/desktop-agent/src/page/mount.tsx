import { CardsProvider } from '@mustard-sandbox/cards';
import { createRoot } from 'react-dom/client';
import type { PageTransport } from '../shared/contract/index.ts';
import { Page } from './app/page.tsx';
import { createAgent } from './state/agent.ts';
import { cardTexts } from './words/texts.ts';

/** Shows the page over a transport. */
export function mount(transport: PageTransport): void {
  takeStyleNonce();
  createRoot(document.getElementById('root') as HTMLElement).render(
    <CardsProvider messages={cardTexts}>
      <Page agent={createAgent(transport)} />
    </CardsProvider>,
  );
}

declare global {
  // Libraries that add style elements look for the nonce under this name.
  var __webpack_nonce__: string | undefined;
}

/** Sets the nonce with which the page's policy allows style elements. A dialog needs one to lock scrolling. */
function takeStyleNonce(): void {
  const { nonce } = document.querySelector<HTMLLinkElement>('link[nonce]') ?? {};
  if (nonce !== undefined && nonce !== '') globalThis.__webpack_nonce__ = nonce;
}

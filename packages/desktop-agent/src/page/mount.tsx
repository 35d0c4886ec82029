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
  // The name by which libraries that add style elements look for it.
  var __webpack_nonce__: string | undefined;
}

/** Lets a dialog's lock of scrolling past the page's policy, which takes style elements with the nonce of this page. */
function takeStyleNonce(): void {
  const { nonce } = document.querySelector<HTMLLinkElement>('link[nonce]') ?? {};
  if (nonce !== undefined && nonce !== '') globalThis.__webpack_nonce__ = nonce;
}

import { CardsProvider } from '@mustard-sandbox/cards';
import { createRoot } from 'react-dom/client';
import type { PageTransport } from '../contract/index.ts';
import { Page } from './app/page.tsx';
import { createAgent } from './state/agent.ts';
import { cardTexts } from './words/texts.ts';
import { takeStyleNonce } from './style-nonce.ts';

/** Shows the page over a transport. */
export function mount(transport: PageTransport): void {
  takeStyleNonce();
  createRoot(document.getElementById('root') as HTMLElement).render(
    <CardsProvider messages={cardTexts}>
      <Page agent={createAgent(transport)} />
    </CardsProvider>,
  );
}

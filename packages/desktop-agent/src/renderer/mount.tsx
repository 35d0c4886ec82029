import { createRoot } from 'react-dom/client';
import type { PageTransport } from '../contract/index.ts';
import { Page } from './app/page.tsx';
import { createAgent } from './state/agent.ts';
import { takeStyleNonce } from './style-nonce.ts';

/** Shows the page over a transport. */
export function mount(transport: PageTransport): void {
  takeStyleNonce();
  createRoot(document.getElementById('root') as HTMLElement).render(<Page agent={createAgent(transport)} />);
}

import './no-eval.ts';
import { createRoot } from 'react-dom/client';
import { keepToken, takeAddress } from './address.ts';
import { Page } from './app/page.tsx';
import { createAgent } from './state/agent.ts';
import { keptHere } from './state/keep.ts';
import { takeStyleNonce } from './style-nonce.ts';
import { SocketTransport } from './transport.ts';

takeStyleNonce();
const { credentials, app } = takeAddress(location, history, sessionStorage);
if (app !== undefined) keptHere.set('app', app);
const transport = new SocketTransport({
  origin: location.origin,
  credentials,
  onToken: (token) => keepToken(token, sessionStorage),
});
createRoot(document.getElementById('root') as HTMLElement).render(<Page agent={createAgent(transport)} />);

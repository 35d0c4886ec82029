import './no-eval.ts';
import { keepToken, takeAddress } from './address.ts';
import { mount } from './mount.tsx';
import { keptHere } from './state/keep.ts';
import { SocketTransport } from './transport.ts';

const { credentials, app } = takeAddress(location, history, sessionStorage);
if (app !== undefined) keptHere.set('app', app);
mount(
  new SocketTransport({
    origin: location.origin,
    credentials,
    onToken: (token) => keepToken(token, sessionStorage),
  }),
);

// Speaks with the agent's page, and with nobody else: its origins are known, and its window is the parent.
import type { FromPreview, ToPreview } from '../../shared/preview-messages.ts';

/** Written by the proxy. */
const framers = '{{framers}}'.split(' ');
const maxWaiting = 200;
/** More than this in a second is a loop of the app: the rest is dropped. */
const maxASecond = 50;

let framer: string | undefined;
const waiting: FromPreview[] = [];
let said = 0;
let since = 0;

/** Tells the agent's page. Until it has answered `ready` nothing else is told. */
export function fromPreview(message: FromPreview): void {
  // The proxy lets only the agent's page have the frame, and this says nothing of the app.
  if (message.type === 'ready') return parent.postMessage(message, '*');
  if (framer === undefined) {
    if (waiting.length < maxWaiting) waiting.push(message);
    return;
  }
  const now = Date.now();
  if (now - since >= 1_000) [since, said] = [now, 0];
  if (++said <= maxASecond) parent.postMessage(message, framer);
}

type Handlers = { [Type in ToPreview['type']]: (message: Extract<ToPreview, { type: Type }>) => void };

export function start(handlers: Handlers): void {
  addEventListener('message', (event: MessageEvent<unknown>) => {
    if (event.source !== parent || !framers.includes(event.origin)) return;
    const message = event.data as ToPreview | null;
    if (typeof message !== 'object' || message === null || !Object.hasOwn(handlers, message.type)) return;
    // The app may listen to messages as well: these are not for it.
    event.stopImmediatePropagation();
    framer = event.origin;
    handlers[message.type](message as never);
    for (const one of waiting.splice(0)) fromPreview(one);
  });
}

// Exchanges messages with the agent's page only. Its origins are known, and its window is the parent.
import type { FromPreview, ToPreview } from '../../shared/preview-messages.ts';

/** The proxy fills this in. */
const framers = '{{framers}}'.split(' ');
const maxWaiting = 200;
/** The most messages in a second. More come from a loop of the app, so they are dropped. */
const maxASecond = 50;

let framer: string | undefined;
const waiting: FromPreview[] = [];
let said = 0;
let since = 0;

/** Sends a message to the agent's page. Until it has answered `ready`, nothing else is sent. */
export function fromPreview(message: FromPreview): void {
  // The proxy lets only the agent's page frame the app, and this message has nothing from the app.
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
    // The app may listen to messages too, but these are not for the app.
    event.stopImmediatePropagation();
    framer = event.origin;
    handlers[message.type](message as never);
    for (const one of waiting.splice(0)) fromPreview(one);
  });
}

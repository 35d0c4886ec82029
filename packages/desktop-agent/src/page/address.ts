/** The credentials for the socket: the token itself, or the ticket with which a browser was started. */
export type Credentials = { token: string } | { ticket: string };

/** The fields of the address's fragment: `#token=…` or `#ticket=…`, and `&app=…` for the app to show. */
export interface Address {
  credentials: Credentials;
  app: string | undefined;
}

const key = 'mustard-agent-token';

/**
 * Reads the fragment and removes it from the address, because it would be copied and kept in histories. A reloaded page has
 * the token of its tab.
 */
export function takeAddress(location: Location, history: History, storage: Storage): Address {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('token') ?? storage.getItem(key);
  const ticket = fragment.get('ticket');
  if (fragment.size > 0) history.replaceState(null, '', location.pathname);
  return {
    credentials: ticket === null ? { token: token ?? '' } : { ticket },
    app: fragment.get('app') ?? undefined,
  };
}

/** Keeps the token for the next load of this tab. The storage of a tab ends with the tab. */
export function keepToken(token: string, storage: Storage): void {
  storage.setItem(key, token);
}

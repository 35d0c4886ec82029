/** What opens the socket: the token itself, or the ticket that a browser was started with. */
export type Credentials = { token: string } | { ticket: string };

/** What the fragment of the address says: `#token=…` or `#ticket=…`, and `&app=…` for the app to show. */
export interface Address {
  credentials: Credentials;
  app: string | undefined;
}

const key = 'mustard-agent-token';

/**
 * Takes what the address says, and takes it off the address: what stays there is copied with it and kept in histories. A
 * page that is loaded again has the token of its tab.
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

/** For the next load of this tab. The storage of a tab ends with the tab. */
export function keepToken(token: string, storage: Storage): void {
  storage.setItem(key, token);
}

// What a script threw, as text for the sidecar. A script may have made anything of it, such as a getter that does not end.
import { stringify } from './host.js';

/** @param {unknown} thrown @returns {string} JSON: `{ name?, message, code?, stack? }` */
export function describe(thrown) {
  if (typeof thrown !== 'object' || thrown === null) return stringify({ message: String(thrown) });
  const text = (key) => {
    try {
      const value = thrown[key];
      return value === undefined || typeof value === 'symbol' ? undefined : String(value);
    } catch {
      return undefined;
    }
  };
  const message = text('message');
  if (message !== undefined) {
    return stringify({ name: text('name'), message, code: text('code'), stack: text('stack') });
  }
  try {
    return stringify({ message: stringify(thrown) ?? String(thrown) });
  } catch {
    return stringify({ message: 'an object' });
  }
}

const OwnError = Error;

/** The functions under way: for the place of a call that is being begun. @returns {string} */
export function stack() {
  return String(new OwnError().stack);
}

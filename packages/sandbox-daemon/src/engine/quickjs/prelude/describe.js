// Describes what a script threw, as text for the sidecar. The script may have made the value hostile, such as with a
// getter that does not end.
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

/** The stack of running functions, for the place of a call that is about to begin. @returns {string} */
export function stack() {
  return String(new OwnError().stack);
}

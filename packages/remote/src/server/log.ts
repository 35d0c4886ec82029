import pino, { type Logger } from 'pino';

/** Lines for machines: what happened, with codes, counts and times. Never a script, a value, a path or a token. */
export type Log = Logger;

/** Lines that wait for a disk that takes none. What comes after them is dropped. */
const mostUnwritten = 1024 * 1024;

/** To stderr, one JSON object a line. Written at once: a line about the end must not get lost with it. */
export function createLog(level: 'silent' | 'error' | 'warn' | 'info' | 'debug'): Log {
  const destination = pino.destination({ fd: 2, sync: true, maxLength: mostUnwritten });
  // A log that cannot be written, on a full disk, costs the log. Without a listener it would end the server.
  destination.on('error', () => {});
  return pino({ level, base: null }, destination);
}

import pino from 'pino';

type Write = (fields: object, message: string) => void;

/**
 * Lines for machines: what happened, with codes, counts and times. Never a script, a value, a path or a token. The part of
 * pino's logger that is used, since pino is in the bundle and its types are not installed with it.
 */
export interface Log {
  info: Write;
  warn: Write;
  child(fields: object): Log;
}

/** Lines that wait for a disk that takes none. What comes after them is dropped. */
const mostUnwritten = 1024 * 1024;

/** To stderr, one JSON object a line. Written at once: a line about the end must not get lost with it. */
export function createLog(level: 'silent' | 'error' | 'warn' | 'info' | 'debug'): Log {
  const destination = pino.destination({ fd: 2, sync: true, maxLength: mostUnwritten });
  // A log that cannot be written, on a full disk, costs the log. Without a listener it would end the server.
  destination.on('error', () => {});
  return pino({ level, base: null }, destination);
}

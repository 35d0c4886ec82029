import pino from 'pino';

type Write = (fields: object, message: string) => void;

/**
 * Lines for machines: what happened, with codes, counts and times. They never hold a script, a value, a path or a
 * token. This is the part of pino's logger that is used, because pino is in the bundle and its types are not installed
 * with it.
 */
export interface Log {
  info: Write;
  warn: Write;
  child(fields: object): Log;
}

/** The most bytes of lines that wait for a disk that accepts none. Later lines are dropped. */
const mostUnwritten = 1024 * 1024;

/**
 * Writes one JSON object on each line to stderr. It writes at once, because a line about the end must not get lost with
 * the process.
 */
export function createLog(level: 'silent' | 'error' | 'warn' | 'info' | 'debug'): Log {
  const destination = pino.destination({ fd: 2, sync: true, maxLength: mostUnwritten });
  // A log that cannot be written, as on a full disk, only loses lines. Without a listener the error would end the
  // server.
  destination.on('error', () => {});
  return pino({ level, base: null }, destination);
}

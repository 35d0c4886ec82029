import pino, { type Logger } from 'pino';

/** Lines for machines: what happened, with codes, counts and times. Never a script, a value, a path or a token. */
export type Log = Logger;

/** To stderr, one JSON object a line. Written at once: a line about the end must not get lost with it. */
export function createLog(level: 'silent' | 'error' | 'warn' | 'info' | 'debug'): Log {
  return pino({ level, base: null }, pino.destination({ fd: 2, sync: true }));
}

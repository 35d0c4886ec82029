import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { oneLine, withoutPaths, type logLevels } from '@mustard-sandbox/protocol';

type LogLevel = (typeof logLevels)[number];

/** Log lines of the sidecar. They go to stderr, because stdout belongs to the wire. */
export interface Logger {
  setLevel(level: LogLevel): void;
  error(message: string): void;
  warn(message: string): void;
  info(message: string): void;
  debug(message: string): void;
}

interface Sink {
  error(message: string): void;
  warn(message: string): void;
  info(message: string): void;
  debug(message: string): void;
}

const order: Record<LogLevel, number> = { silent: 0, error: 1, warn: 2, info: 3, debug: 4 };

/** Loads pino when the first line is written. Loading takes 30 ms, and most sidecars never write a line. */
export function createLogger(): Logger {
  let level: LogLevel = 'warn';
  let sink: Sink | undefined;

  function write(kind: 'error' | 'warn' | 'info' | 'debug', text: string): void {
    if (order[kind] > order[level]) return;
    // A script or a peer may have chosen a part of the text, which goes to terminals and, after a crash, into
    // `details.stderr`.
    const message = oneLine(withoutPaths(text));
    // The process may end right after an error, so this line cannot wait for a module to load.
    if (kind === 'error') writeSync(2, `mustard-sandbox-daemon: ${message}\n`);
    else (sink ??= openSink())[kind](message);
  }

  return {
    setLevel(next) {
      level = next;
    },
    error: (message) => write('error', message),
    warn: (message) => write('warn', message),
    info: (message) => write('info', message),
    debug: (message) => write('debug', message),
  };
}

function openSink(): Sink {
  const { sink } = createRequire(import.meta.url)('./log-sink.cjs') as { sink: Sink };
  return sink;
}

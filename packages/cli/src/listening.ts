import { UsageError } from './failure.ts';
import { readPem } from './sandbox.ts';

/** Flags that all listening servers have, as they were typed. */
interface ListeningFlags {
  tlsCert?: string;
  tlsKey?: string;
}

const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;

/** Certificate and key, as PEM. @throws {UsageError} when only one is given, or one cannot be read */
export function readTls({ tlsCert, tlsKey }: ListeningFlags): { cert: string; key: string } | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) throw new UsageError('--tls-cert and --tls-key go together.');
  return { cert: readPem('--tls-cert', tlsCert), key: readPem('--tls-key', tlsKey) };
}

/** @throws {UsageError} */
export function parseLogLevel(text: string): (typeof logLevels)[number] {
  const level = logLevels.find((one) => one === text);
  if (level !== undefined) return level;
  throw new UsageError(`--log-level: '${text}' is not one of ${logLevels.join(', ')}.`);
}

import { serveSandboxes, type ServerOptions } from '@mustard-sandbox/remote/server';
import { parseCount, parseEngine, parseIsolation, parseSize } from '../arguments.ts';
import { exitCodes } from '../exit-code.ts';
import { UsageError } from '../failure.ts';
import { writeLine } from '../output.ts';
import { printJson, type Report } from '../report.ts';
import { readPem, readTokens } from '../sandbox.ts';
import { checkRoot } from '../scope.ts';

/** As typed. */
export interface ServeFlags {
  listen: string;
  tokenFile?: string;
  tlsCert?: string;
  tlsKey?: string;
  allowRoot: string[];
  allowHost: string[];
  store?: string;
  storeBytes?: string;
  processes?: string;
  isolation?: string;
  engine?: string;
  logLevel: string;
  json?: boolean;
  quiet?: boolean;
}

const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;

/** Serves until `signal` is aborted. @throws {UsageError | SandboxError} */
export async function serve(flags: ServeFlags, signal: AbortSignal): Promise<Report> {
  const { listen, tokenFile, store, storeBytes, processes } = flags;
  const tls = readTls(flags);
  const server = await serveSandboxes({
    listen,
    allowRoots: flags.allowRoot.map((root) => checkRoot(root, '--allow-root')),
    privateFiles: [tokenFile, flags.tlsKey].filter((file) => file !== undefined),
    allowHosts: flags.allowHost,
    logLevel: readLevel(flags.logLevel),
    signal,
    sandbox: {
      isolation: parseIsolation('--isolation', flags.isolation),
      engine: parseEngine('--engine', flags.engine ?? 'auto'),
      ...(processes !== undefined && { maxProcesses: parseCount('--processes', processes, { min: 1, max: 256 }) }),
    },
    ...(tokenFile !== undefined && { tokens: readTokens(tokenFile) }),
    ...(tls !== undefined && { tls }),
    ...(store !== undefined && { store }),
    ...(storeBytes !== undefined && {
      storeBytes: parseSize('--store-bytes', storeBytes, { min: 1024 ** 2, max: 1024 ** 5 }),
    }),
  });
  const { url, warnings } = server;
  // Otherwise the log has them.
  if (['silent', 'error'].includes(flags.logLevel) && flags.quiet !== true) {
    for (const warning of warnings) writeLine(process.stderr, `warning: ${warning}`);
  }
  if (flags.json === true) printJson({ ok: true, url, warnings });
  else writeLine(process.stdout, url);
  await server.closed;
  return { json: undefined, print() {}, exitCode: exitCodes.done };
}

function readTls({ tlsCert, tlsKey }: ServeFlags): ServerOptions['tls'] {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) throw new UsageError('--tls-cert and --tls-key go together.');
  return { cert: readPem('--tls-cert', tlsCert), key: readPem('--tls-key', tlsKey) };
}

function readLevel(text: string): (typeof logLevels)[number] {
  const level = logLevels.find((one) => one === text);
  if (level !== undefined) return level;
  throw new UsageError(`--log-level: '${text}' is not one of ${logLevels.join(', ')}.`);
}

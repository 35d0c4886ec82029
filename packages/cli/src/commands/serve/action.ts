import { serveSandboxes } from '@mustard-sandbox/remote/server';
import { parseCount, parseEngine, parseIsolation, parseSize } from '../../arguments.ts';
import { exitCodes } from '../../exit-code.ts';
import { parseLogLevel, readTls } from '../../listening.ts';
import { writeLine } from '../../output.ts';
import { printJson, type Report } from '../../report.ts';
import { readTokens } from '../../sandbox.ts';
import { checkRoot } from '../../scope.ts';

/** The flags as they were typed. */
export interface ServeFlags {
  listen: string;
  tokenFile?: string;
  tlsCert?: string;
  tlsKey?: string;
  allowRoot: string[];
  allowHost: string[];
  proxy: string[];
  store?: string;
  storeBytes?: string;
  processes?: string;
  isolation?: string;
  engine?: string;
  logLevel: string;
  json?: boolean;
  quiet?: boolean;
}

/**
 * Serves until `signal` is aborted.
 *
 * @throws {UsageError | SandboxError}
 */
export async function serve(flags: ServeFlags, signal: AbortSignal): Promise<Report> {
  const { listen, tokenFile, store, storeBytes, processes } = flags;
  const tls = readTls(flags);
  const server = await serveSandboxes({
    listen,
    allowRoots: flags.allowRoot.map((root) => checkRoot(root, '--allow-root')),
    privateFiles: [tokenFile, flags.tlsKey].filter((file) => file !== undefined),
    allowHosts: flags.allowHost,
    proxies: flags.proxy,
    logLevel: parseLogLevel(flags.logLevel),
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

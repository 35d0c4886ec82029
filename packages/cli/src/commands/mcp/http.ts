import { serveMcpHttp, type ServeMcpHttpOptions } from '@mustard-sandbox/mcp-server/http';
import { parseSize } from '../../arguments.ts';
import { readConfiguration } from '../../configuration/read.ts';
import { exitCodes } from '../../exit-code.ts';
import { UsageError } from '../../failure.ts';
import { limitsOfServer } from '../../limits.ts';
import { parseLogLevel, readTls } from '../../listening.ts';
import { writeLine } from '../../output.ts';
import { recipesWithScripts } from '../../recipes.ts';
import type { Report } from '../../report.ts';
import { engineOf } from '../../sandbox.ts';
import { readScope } from '../../scope.ts';
import { optionOf, type McpFlags } from './flags.ts';

/** Options of `mcp` that all users would share. */
const others = ['bash', 'workspace', 'remote', 'tokenFile', 'ca', 'uploadDir', 'mediaDir'] as const;

/**
 * Serves over HTTP until `signal` is aborted.
 *
 * @throws {UsageError | SandboxError}
 */
export async function http(
  version: string,
  flags: McpFlags & { listen: string },
  signal: AbortSignal,
): Promise<Report> {
  for (const name of others) {
    if (flags[name] !== undefined) throw new UsageError(`${optionOf(name)} does not go with --listen.`);
  }
  const { consent, store, storeBytes, allowHost = [], proxy = [] } = flags;
  const { attachments = [], root } = readScope(flags);
  const configuration = await readConfiguration(flags);
  const authorization = authorizationOf(flags);
  const tls = readTls(flags);
  const server = await serveMcpHttp({
    listen: /^\d+$/.test(flags.listen) ? `127.0.0.1:${flags.listen}` : flags.listen,
    ...{ attachments, consent, version, signal, allowHosts: allowHost, proxies: proxy },
    recipes: recipesWithScripts,
    limits: limitsOfServer(flags, configuration.limits),
    engine: engineOf(flags, configuration),
    logLevel: parseLogLevel(flags.logLevel ?? 'info'),
    ...(root !== undefined && { root }),
    ...(authorization !== undefined && { authorization }),
    ...(tls !== undefined && { tls }),
    ...(store !== undefined && { store }),
    ...(storeBytes !== undefined && {
      storeBytes: parseSize('--store-bytes', storeBytes, { min: 1024 ** 2, max: 1024 ** 5 }),
    }),
  });
  writeLine(process.stdout, server.url);
  await server.closed;
  return { json: { ok: true }, print() {}, exitCode: exitCodes.done };
}

function authorizationOf({ issuer, resource, scope }: McpFlags): ServeMcpHttpOptions['authorization'] {
  if (issuer !== undefined) {
    return { issuer, ...(resource !== undefined && { resource }), ...(scope !== undefined && { scope }) };
  }
  if (resource !== undefined) throw new UsageError('--resource needs --issuer.');
  if (scope !== undefined) throw new UsageError('--scope needs --issuer.');
  return undefined;
}

import { hkdfSync } from 'node:crypto';
import { serveGateway } from '@mustard-sandbox/mcp-server/gateway';
import { readConfiguration } from '../../configuration/read.ts';
import { exitCodes } from '../../exit-code.ts';
import { UsageError } from '../../failure.ts';
import { gatewayOf, keyOf } from '../../gateway/folder.ts';
import { openGateway } from '../../gateway/open.ts';
import { readServers } from '../../gateway/servers.ts';
import { limitsOfServer } from '../../limits.ts';
import type { Report } from '../../report.ts';
import { engineOf } from '../../sandbox.ts';
import { readScope } from '../../scope.ts';
import { optionOf, type McpFlags } from './flags.ts';
import { onProblem, tellWhoReads } from './problems.ts';

/** Options of `mcp` that have no meaning for a gateway. */
const fleet = ['fleet', 'fleetKeys', 'fleetFiles'] as const;
const others = [
  'listen',
  'bash',
  'workspace',
  'remote',
  'tokenFile',
  'ca',
  'uploadDir',
  'mediaDir',
  'out',
  ...fleet,
] as const;

/**
 * Serves one tool in front of many MCP servers.
 *
 * @throws {UsageError | SandboxError | CodeModeError}
 */
export async function gateway(
  version: string,
  flags: McpFlags & { connect: string },
  signal: AbortSignal,
): Promise<Report> {
  const { connect, consent } = flags;
  for (const name of others) {
    if (flags[name] !== undefined) throw new UsageError(`${optionOf(name)} does not go with --connect.`);
  }
  if (consent === 'never')
    throw new UsageError('--consent never does not go with --connect.', 'deny by rules in the file');
  const scope = readScope(flags);
  const configuration = await readConfiguration(flags);
  const servers = await readServers(connect);
  for (const name of servers.ignored) onProblem(`${connect}: ${name} means nothing here.`);
  const folder = await gatewayOf(connect);
  tellWhoReads();
  await using opened = await openGateway(folder, servers, {
    ...(consent === 'always' && { policy: [{ tool: '*', action: 'allow' }] }),
    ...((scope.root !== undefined || flags.attach.length > 0) && { scope }),
    limits: limitsOfServer(flags, configuration.limits),
    engine: engineOf(flags, configuration),
  });
  await serveGateway({
    tool: opened.tool,
    // This is not the key that seals, because that key must serve nothing else.
    key: new Uint8Array(hkdfSync('sha256', (await keyOf(folder)).key, '', 'handles of runs', 32)),
    decideWith: (run) => `mustard-sandbox runs show ${run}`,
    version,
    signal,
    onProblem,
  });
  return { json: { ok: true }, print() {}, exitCode: exitCodes.done };
}

import { serveMcp } from '@mustard-sandbox/mcp-server';
import { readConfiguration } from '../../configuration/read.ts';
import { exitCodes } from '../../exit-code.ts';
import { limitsOfServer } from '../../limits.ts';
import { recipesWithScripts } from '../../recipes.ts';
import type { Report } from '../../report.ts';
import { connectRemote, connectToFleet, engineOf } from '../../sandbox.ts';
import { readScope } from '../../scope.ts';
import { openBash } from './bash.ts';
import { refuseListening, type McpFlags } from './flags.ts';
import { onProblem, tellWhoReads } from './problems.ts';

/**
 * Serves until the client is gone or `signal` is aborted.
 *
 * @throws {UsageError | SandboxError}
 */
export async function mcp(version: string, flags: McpFlags, signal: AbortSignal): Promise<Report> {
  const { connect, listen } = flags;
  if (connect !== undefined) {
    // Loaded here, so that the other servers do not load code mode.
    const { gateway } = await import('./gateway.ts');
    return await gateway(version, { ...flags, connect }, signal);
  }
  if (listen !== undefined) {
    // Loaded here, so that the other servers do not load a web server.
    const { http } = await import('./http.ts');
    return await http(version, { ...flags, listen }, signal);
  }
  refuseListening(flags);
  const { attachments = [], ...scope } = readScope(flags);
  const configuration = await readConfiguration(flags);
  const limits = limitsOfServer(flags, configuration.limits);
  const { consent, mediaDir, out: outputs } = flags;
  tellWhoReads();
  await using bash = await openBash(flags, configuration.bash, onProblem);
  // By default, scripts read what commands write.
  const root = scope.root ?? bash?.folder;
  const engine = engineOf(flags, configuration);
  await using sandbox = (await connectToFleet(flags, { engine })) ?? (await connectRemote(flags, { engine }));
  await serveMcp({
    ...(sandbox === undefined ? { engine } : { sandbox }),
    ...(root !== undefined && { root }),
    attachments,
    consent,
    ...(mediaDir !== undefined && { mediaDir }),
    ...(outputs !== undefined && { outputs }),
    limits,
    recipes: recipesWithScripts,
    ...(bash !== undefined && { tools: bash.tools, instructions: bash.instructions }),
    version,
    signal,
    onProblem,
  });
  // stdout carries the protocol and nothing else, until the end.
  return { json: { ok: true }, print() {}, exitCode: exitCodes.done };
}

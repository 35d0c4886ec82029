import type { BackendName } from '@mustard-sandbox/bash-tools';
import { serveMcp, type ServeMcpOptions } from '@mustard-sandbox/mcp-server';
import { printable } from '@mustard-sandbox/client/text';
import { readConfiguration } from '../configuration/read.ts';
import { exitCodes } from '../exit-code.ts';
import { limitsOfServer } from '../limits.ts';
import { writeLine } from '../output.ts';
import type { Report } from '../report.ts';
import { connectRemote, engineOf, type SandboxFlags } from '../sandbox.ts';
import { readScope } from '../scope.ts';
import { openBash } from './mcp-bash.ts';

/** As typed. */
export interface McpFlags extends SandboxFlags {
  root?: string;
  attach: string[];
  consent: NonNullable<ServeMcpOptions['consent']>;
  mediaDir?: string;
  timeout?: string;
  config?: string;
  bash?: BackendName;
  workspace?: string;
}

/** Serves until the client is gone or `signal` is aborted. @throws {UsageError | SandboxError} */
export async function mcp(version: string, flags: McpFlags, signal: AbortSignal): Promise<Report> {
  const { attachments = [], ...scope } = readScope(flags);
  const configuration = await readConfiguration(flags);
  const limits = limitsOfServer(flags, configuration.limits);
  const { consent, mediaDir } = flags;
  // A client shows the stderr of its server to nobody, or keeps it as a log.
  const onProblem = (message: string): void => writeLine(process.stderr, `mcp: ${printable(message)}`);
  if (process.stdin.isTTY) onProblem('An MCP client starts this and speaks to it on stdin. Ctrl-C ends it.');
  await using bash = await openBash(flags, configuration.bash, onProblem);
  // Scripts read what commands write.
  const root = scope.root ?? bash?.folder;
  const engine = engineOf(flags, configuration);
  await using sandbox = await connectRemote(flags, { engine });
  await serveMcp({
    ...(sandbox === undefined ? { engine } : { sandbox }),
    ...(root !== undefined && { root }),
    attachments,
    consent,
    ...(mediaDir !== undefined && { mediaDir }),
    limits,
    ...(bash !== undefined && { tools: bash.tools, instructions: bash.instructions }),
    version,
    signal,
    onProblem,
  });
  // stdout carries the protocol and nothing else, until the end.
  return { json: { ok: true }, print() {}, exitCode: exitCodes.done };
}

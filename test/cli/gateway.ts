import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import type { CodeModeResult } from '@mustard-sandbox/code-mode';
import { onTestFinished, vi } from 'vitest';
import { gatewayOf } from '../../packages/cli/src/gateway/folder.ts';
import { openGateway } from '../../packages/cli/src/gateway/open.ts';
import { readServers } from '../../packages/cli/src/gateway/servers.ts';
import { makeFolder } from './support.ts';

export const fixture = fileURLToPath(new URL('../code-mode/fixtures/tools-server.mjs', import.meta.url));

/** A `servers.json` with the tools of a tracker, and a state folder for the runs of this test alone. */
export function serversFile(more: object = {}, onEnd: typeof onTestFinished = onTestFinished): string {
  const folder = makeFolder(
    {
      'servers.json': JSON.stringify({
        mcpServers: { tracker: { command: process.execPath, args: [fixture] } },
        ...more,
      }),
      'state/': '',
    },
    onEnd,
  );
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
  onEnd(() => void vi.unstubAllEnvs());
  return join(folder, 'servers.json');
}

/** Runs a script as the gateway of that file, which then ends. */
export async function runAt(servers: string, script: string, id?: string): Promise<CodeModeResult> {
  await using gateway = await openGateway(await gatewayOf(servers), await readServers(servers));
  return await gateway.tool.execute({ script }, id === undefined ? {} : { id });
}

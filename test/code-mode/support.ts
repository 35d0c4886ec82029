import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createCodeModeTool,
  type CodeModeOptions,
  type CodeModeTool,
  type ServerOptions,
} from '@mustard-sandbox/code-mode';
import { sqliteStore } from '@mustard-sandbox/runs';
import { onTestFinished } from 'vitest';
import { folder, sandbox } from '../runs/support.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
const secret = 'sk-verysecret-123456';

/** The server of the SDK, over stdio. */
export const tracker = (more: object = {}): ServerOptions => ({
  command: process.execPath,
  args: [fixture('tools-server.mjs')],
  env: { API_TOKEN: secret },
  ...more,
});

export const liar = (how: string): ServerOptions => ({
  command: process.execPath,
  args: [fixture('lying-server.mjs'), how],
});

/** The server of the SDK, over HTTP, in a process of its own. */
export async function httpTracker(): Promise<ServerOptions> {
  const child = spawn(process.execPath, [fixture('tools-server.mjs'), '--http'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: line.toString().trim(), headers: { Authorization: `Bearer ${secret}` } };
}

export interface Made {
  tool: CodeModeTool;
  /** With the same store and keys, as after a restart of the host. */
  again: (options?: Partial<CodeModeOptions>) => Promise<CodeModeTool>;
}

export async function codeMode(options: Partial<CodeModeOptions> = {}): Promise<Made> {
  const file = join(folder(), 'runs.db');
  const keys = [{ id: 'first', key: randomBytes(32) }];
  const again = async (more: Partial<CodeModeOptions> = {}): Promise<CodeModeTool> => {
    const tool = await createCodeModeTool({ sandbox: sandbox(), store: sqliteStore(file), keys, ...options, ...more });
    onTestFinished(() => tool.close());
    return tool;
  };
  return { tool: await again(), again };
}

/** The value of a script that completes. */
export async function valueOf(tool: CodeModeTool, script: string): Promise<unknown> {
  const result = await tool.execute({ script });
  if (result.status !== 'completed') throw new Error(`${result.status}: ${result.text}`);
  return result.value;
}

import { mkdirSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BackendName, BashTools } from '@mustard-sandbox/bash-tools';
import type { McpTool } from '@mustard-sandbox/mcp-server';
import type { BashSettings } from '../../configuration/settings.ts';
import { stateFolder } from '../../configuration/path.ts';
import { UsageError } from '../../failure.ts';

/** The tools for commands, in the form in which the server offers them. */
interface ServedBash extends AsyncDisposable {
  tools: McpTool[];
  instructions: string;
  /** Where their files are, absolute. Absent when they are not on this machine. */
  folder: string | undefined;
}

interface BashFlags {
  bash?: BackendName;
  workspace?: string;
  consent: 'ask' | 'always' | 'never';
}

/**
 * Opens the workspace for `--bash`; `undefined` without that option.
 *
 * @throws {UsageError | BashError | SandboxError} with the name of a closed gate, or with what the backend lacks
 */
export async function openBash(
  { bash: backend, workspace: folder, consent }: BashFlags,
  settings: BashSettings,
  onWarning: (message: string) => void,
): Promise<ServedBash | undefined> {
  if (backend === undefined) {
    if (folder !== undefined) throw new UsageError('--workspace needs --bash.');
    return undefined;
  }
  const { assertGates, createBashTools, createWorkspaces } = await import('@mustard-sandbox/bash-tools');
  assertGates(settings);
  const { limits, network, rules } = settings;
  const workspaces = await createWorkspaces({
    directory: stateFolder('workspaces'),
    backend,
    network,
    limits,
    onWarning,
  });
  try {
    const workspace = await workspaces.open(
      folder === undefined ? { temporary: true } : { folder: madeFolder(folder) },
    );
    const actions = ['allow', 'ask', 'deny'] as const;
    const tools = createBashTools({
      workspace,
      approval: {
        otherwise: ({ ask: 'ask', always: 'allow', never: 'deny' } as const)[consent],
        rules: actions.flatMap((action) => rules[action].map((prefix) => ({ prefix, action }))),
      },
    });
    return {
      tools: [bashTool(tools), readTool(tools), writeTool(tools)],
      instructions: tools.prompt,
      folder: workspace.hostFolder,
      [Symbol.asyncDispose]: () => workspaces.close(),
    };
  } catch (error) {
    await workspaces.close();
    throw error;
  }
}

function bashTool({ bash }: BashTools): McpTool {
  return {
    ...factsOf(bash),
    title: 'Run a command in the workspace',
    readOnly: false,
    async call(args, context) {
      const result = await bash.execute(args as never, context);
      const { stdout, stderr, exitCode } = result;
      const parts = [stdout, ...(stderr === '' ? [] : [`[stderr]\n${stderr}`]), `[exit code ${exitCode}]`];
      return {
        text: parts.filter((part) => part !== '').join('\n'),
        structured: { ...result },
        isError: exitCode !== 0,
      };
    },
  };
}

function readTool({ readFile }: BashTools): McpTool {
  return {
    ...factsOf(readFile),
    title: 'Read a file of the workspace',
    readOnly: true,
    async call(args, context) {
      const { content } = await readFile.execute(args as never, context);
      return { text: content, structured: { content }, isError: false };
    },
  };
}

function writeTool({ writeFile }: BashTools): McpTool {
  return {
    ...factsOf(writeFile),
    title: 'Write a file of the workspace',
    readOnly: false,
    async call(args, context) {
      const { success } = await writeFile.execute(args as never, context);
      return { text: 'Written.', structured: { success }, isError: false };
    },
  };
}

function factsOf(
  tool: BashTools[keyof Omit<BashTools, 'prompt'>],
): Pick<McpTool, 'name' | 'description' | 'inputSchema' | 'getConsentRequest'> {
  const { name, description, inputJsonSchema: inputSchema, getConsentRequest } = tool;
  return { name, description, inputSchema, getConsentRequest };
}

function madeFolder(folder: string): string {
  try {
    mkdirSync(resolve(folder), { recursive: true });
    return realpathSync(resolve(folder));
  } catch (error) {
    throw new UsageError(`--workspace: '${folder}' cannot be used: ${(error as Error).message}.`);
  }
}

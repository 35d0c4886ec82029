import { createSandbox, type EngineChoice, type LimitOptions, type ScopeOptions } from '@mustard-sandbox/client';
import { createCodeModeTool, type CodeModeTool, type Rule } from '@mustard-sandbox/code-mode';
import { createRuns, sqliteStore, type Runs, type Tool } from '@mustard-sandbox/runs';
import { remember, rememberedIn } from '@mustard-sandbox/code-mode/host';
import { keyOf, type GatewayFolder } from './folder.ts';
import type { Servers } from './servers.ts';

/** The settings of a gateway from the command line. */
export interface GatewayOptions {
  /** Rules that come before those of the file. They say what is allowed at all. */
  policy?: readonly Rule[];
  scope?: ScopeOptions;
  limits?: LimitOptions;
  engine?: EngineChoice;
}

/** A tool whose scripts call the servers of a gateway. */
export interface Gateway extends AsyncDisposable {
  tool: CodeModeTool;
}

/** Starts the servers. @throws {UsageError | SandboxError | CodeModeError} */
export async function openGateway(
  folder: GatewayFolder,
  servers: Servers,
  { policy = [], scope, limits, engine }: GatewayOptions = {},
): Promise<Gateway> {
  const sandbox = createSandbox({ spares: 0, ...(engine !== undefined && { engine }) });
  try {
    const tool = await createCodeModeTool({
      sandbox,
      store: sqliteStore(folder.database),
      keys: [await keyOf(folder)],
      mcp: servers.mcp,
      policy: [...(servers.policy ?? []), ...policy],
      ...(servers.budgets !== undefined && { budgets: servers.budgets }),
      ...(servers.writes !== undefined && { writes: servers.writes }),
      remembered: () => rememberedIn(folder.path),
      onRemember: (rule) => remember(folder.path, rule),
      largeAnswers: { folder: folder.answers },
      ...(scope !== undefined && { scope }),
      ...(limits !== undefined && { limits }),
    });
    const close = async (): Promise<void> => {
      await tool.close();
      await sandbox.close();
    };
    return { tool, [Symbol.asyncDispose]: close };
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

/** The runs of a gateway without its servers, to look at them and to decide. They cannot continue here. */
export async function openRuns(folder: GatewayFolder, tools: readonly string[] = []): Promise<Runs> {
  const placeholders = tools.map((name): Tool => ({ name, description: '', execute: notHere }));
  return createRuns({
    sandbox: { runSegment: notHere },
    store: sqliteStore(folder.database),
    keys: [await keyOf(folder)],
    tools: placeholders,
    largeAnswers: { folder: folder.answers },
    onAlways: ({ rule }) => remember(folder.path, rule as Parameters<typeof remember>[1]),
  });
}

function notHere(): never {
  throw new Error('This process has no servers.');
}

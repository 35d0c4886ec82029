import type { Broadcast, Handlers, Server, ServerTool } from '../../shared/contract/index.ts';
import { oneLine } from '@mustard-sandbox/protocol';
import type { Services } from '../services.ts';
import { namespaceOf, ServerStore, type StoredServer } from './server-store.ts';
import { Toolbox } from './toolbox.ts';
import { ToolRunStore } from './tool-run-store.ts';
import { ToolRuns } from './tool-runs.ts';

type Names =
  | 'list-servers'
  | 'save-server'
  | 'remove-server'
  | 'connect-servers'
  | 'set-tool-action'
  | 'read-tool-run'
  | 'decide-call'
  | 'cancel-tool-run'
  | 'fork-tool-run';

/** What the rest of the program uses from MCP servers and the runs that call them. */
export interface McpRoom {
  handlers: Pick<Handlers, Names>;
  toolbox: Toolbox;
  toolRuns: ToolRuns;
}

/** The most characters of a tool's description that the page gets. */
const mostDescription = 300;

export function mcpRoom(
  { dataDir, database, chats, apps, broadcast }: Services,
  onError: (what: string, error: unknown) => void,
): McpRoom {
  const servers = new ServerStore(dataDir);
  const toolbox = new Toolbox(dataDir, servers, () => {
    void shownServers(servers, toolbox)
      .then((shown) => broadcast('servers:changed', { servers: shown }))
      .catch((error: unknown) => onError('pages were not told of servers', error));
  });
  const rows = new ToolRunStore(database);
  const toolRuns = new ToolRuns({ dataDir, rows, toolbox, chats, apps, broadcast, onError });
  return { toolbox, toolRuns, handlers: handlersOf(servers, toolbox, toolRuns, broadcast, onError) };
}

function handlersOf(
  servers: ServerStore,
  toolbox: Toolbox,
  toolRuns: ToolRuns,
  broadcast: Broadcast,
  onError: (what: string, error: unknown) => void,
): Pick<Handlers, Names> {
  /** Connects in the background. The toolbox tells the pages when it is done. */
  const connect = (): void => {
    void toolbox.use(async () => {}).catch((error: unknown) => onError('servers could not be connected', error));
  };
  const shown = async (): Promise<Server[]> => {
    const list = await shownServers(servers, toolbox);
    broadcast('servers:changed', { servers: list });
    return list;
  };
  const renewed = async (): Promise<Server[]> => {
    toolbox.renew();
    if ((await servers.list()).length > 0) connect();
    return await shown();
  };
  return {
    'list-servers': async () => {
      const { isOpening, opened, problem } = toolbox.now;
      const isNew = !isOpening && opened === undefined && problem === undefined;
      if (isNew && (await servers.list()).length > 0) connect();
      return await shownServers(servers, toolbox);
    },
    'save-server': async ({ name, was, server }) => {
      const { isOther } = await servers.save(name, was, server);
      if (isOther) await Promise.all([name, was ?? name].map((each) => toolbox.forget(each)));
      return await renewed();
    },
    'remove-server': async ({ name }) => {
      await servers.remove(name);
      await toolbox.forget(name);
      return await renewed();
    },
    'connect-servers': renewed,
    'set-tool-action': async ({ tool, action }) => {
      await servers.setAction(tool, action);
      return await shown();
    },
    'read-tool-run': async ({ runId }) => await toolRuns.read(runId),
    'decide-call': async (decision) => await toolRuns.decide(decision),
    'cancel-tool-run': async ({ runId }) => await toolRuns.cancel(runId),
    'fork-tool-run': async (fork) => ({ runId: await toolRuns.fork(fork) }),
  };
}

async function shownServers(servers: ServerStore, toolbox: Toolbox): Promise<Server[]> {
  return (await servers.list()).map(([name, stored]) => shownServer(name, stored, servers, toolbox));
}

/** The server for the page, without the values of its variables and headers. */
function shownServer(name: string, stored: StoredServer, servers: ServerStore, toolbox: Toolbox): Server {
  const { command, args, url, env, headers, trustHints, disabled } = stored;
  const { isOpening, opened, problem = '' } = toolbox.now;
  const namespace = namespaceOf(name);
  const enabled = disabled !== true;
  const error = opened === undefined ? problem : (opened.failures.get(namespace) ?? '');
  const failed = error === '' ? (opened === undefined ? 'idle' : 'connected') : 'failed';
  const state = !enabled ? 'off' : isOpening ? 'connecting' : failed;
  const tools = (opened?.tool.tools ?? []).filter((tool) => tool.name.startsWith(`${namespace}.`));
  return {
    name,
    kind: typeof url === 'string' ? 'http' : 'stdio',
    command: typeof command === 'string' ? command : '',
    args: Array.isArray(args) ? args.map(String) : [],
    url: typeof url === 'string' ? url : '',
    secrets: Object.keys((typeof url === 'string' ? headers : env) ?? {}),
    trustHints: trustHints === true,
    enabled,
    state,
    error,
    tools: tools.map((tool): ServerTool => ({
      name: tool.name,
      description: oneLine(tool.description, mostDescription),
      isReadOnly: tool.isReadOnly,
      action: servers.actionOf(tool.name),
    })),
  };
}

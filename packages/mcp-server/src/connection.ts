import { Server } from '@modelcontextprotocol/server';
import { appResource, appsExtension, appUri, readApp, showsApps } from './app.ts';
import { capabilitiesOf } from './capabilities.ts';
import { Folders } from './folders.ts';
import { describeServer } from './instructions.ts';
import type { ClientLog } from './log.ts';
import type { McpOptions } from './options.ts';
import { resourceTemplate } from './resource-uri.ts';
import { listResources, readResource } from './resources.ts';
import { callTool, listTools } from './tools.ts';
import type { Workspaces } from './workspace.ts';

/** Parts of the server that live as long as the process, in every revision of the protocol. */
interface Host {
  options: McpOptions;
  log: ClientLog;
  workspaces: Workspaces;
}

/** A client, and what is known of it. */
export interface Connection extends Host {
  server: Server;
  folders: Folders;
}

/** Makes the server for one client, with a handler for each request. */
export function createServer(host: Host): Server {
  const { options, log } = host;
  // Not McpServer: it words the answer to wrong arguments itself, and its list of resources is fixed.
  const server = new Server(
    { name: 'mustard-sandbox', title: 'mustard-sandbox', version: options.version },
    {
      capabilities: {
        tools: {},
        resources: { listChanged: true },
        logging: {},
        extensions: { [appsExtension]: {} },
      },
      instructions: describeServer(options),
    },
  );
  log.connect(server);
  const folders = new Folders(server, options.root, log);
  answerTools({ ...host, server, folders });
  answerResources({ ...host, server, folders });
  server.setNotificationHandler('notifications/roots/list_changed', async () => {
    folders.changed();
    // Another folder has other attachments.
    await server.sendResourceListChanged();
  });
  return server;
}

function answerTools(connection: Connection): void {
  const { server } = connection;
  server.setRequestHandler('tools/list', (_, context) => ({ tools: listTools(connection, context) }));
  server.setRequestHandler('tools/call', ({ params }, context) => callTool(connection, params, context));
}

function answerResources({ server, folders, workspaces }: Connection): void {
  server.setRequestHandler('resources/list', async (_, context) => {
    const { files } = await workspaces.at(await folders.known(context));
    const resources = await listResources(files);
    return { resources: showsApps(capabilitiesOf(server, context)) ? [appResource, ...resources] : resources };
  });
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: resourceTemplate,
        name: 'attachment',
        title: 'A range of an attachment',
        description: 'Bytes of a file that scripts read as attachments:{name}, from start, at most length.',
      },
    ],
  }));
  server.setRequestHandler('resources/read', async ({ params }, context) => {
    if (params.uri === appUri) return await readApp();
    const { files } = await workspaces.at(await folders.known(context));
    return await readResource(files, params.uri);
  });
}

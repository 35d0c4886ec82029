import { Server } from '@modelcontextprotocol/server';
import { appResource, appsExtension, appUri, readApp, showsApps } from './app.ts';
import { capabilitiesOf } from './capabilities.ts';
import { Folders } from './folders.ts';
import type { Connection, Host } from './connection.ts';
import { complete } from './completion.ts';
import { functionsResource, readFunctions } from './functions.ts';
import { icons } from './icon.ts';
import { describeServer } from './instructions.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { resourceTemplate } from './resource-uri.ts';
import { listResources, readResource } from './resources.ts';
import { tasksExtension } from './tasks.ts';
import { callTool, listTools } from './tools.ts';

/** Makes the server for one client, with a handler for each request. */
export function createServer(host: Host): Server {
  const { options, log } = host;
  // McpServer is not used, because it writes its own answer to wrong arguments, and its list of resources is fixed.
  const server = new Server(
    { name: 'mustard-sandbox', title: 'mustard-sandbox', version: options.version, icons },
    {
      capabilities: {
        tools: {},
        resources: { listChanged: true },
        prompts: {},
        completions: {},
        logging: {},
        extensions: { [appsExtension]: {}, [tasksExtension]: {} },
      },
      instructions: describeServer(options),
    },
  );
  const folders = new Folders({ server, boundary: options.root, log, asksClient: host.isLocal });
  answerTools({ ...host, server, folders });
  answerResources({ ...host, server, folders });
  answerPrompts({ ...host, server, folders });
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
  connection.tasks.serve(server);
}

function answerPrompts(connection: Connection): void {
  const { server, options } = connection;
  server.setRequestHandler('prompts/list', () => ({ prompts: listPrompts(options.recipes()) }));
  server.setRequestHandler('prompts/get', ({ params }) => getPrompt(options.recipes(), params.name, params.arguments));
  server.setRequestHandler('completion/complete', ({ params }, context) => complete(connection, params, context));
}

function answerResources({ server, folders, workspaces }: Connection): void {
  server.setRequestHandler('resources/list', async (_, context) => {
    const { files } = await workspaces.at(await folders.known(context));
    const own = showsApps(capabilitiesOf(server, context)) ? [appResource, functionsResource] : [functionsResource];
    return { resources: [...own, ...(await listResources(files))] };
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
    if (params.uri === functionsResource.uri) return readFunctions();
    const { files } = await workspaces.at(await folders.known(context));
    return await readResource(files, params.uri);
  });
}

// An MCP server of the official SDK whose tool does nothing: over stdio, or over HTTP, where it prints its address.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

function openServer() {
  const server = new Server({ name: 'empty', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', async () => ({ content: [{ type: 'text', text: '2' }] }));
  return server;
}

/** For one client. */
async function serveHttp() {
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await openServer().connect(transport);
  /** @param {import('node:http').IncomingMessage} incoming @param {import('node:http').ServerResponse} outgoing */
  const answer = async (incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const parsedBody = method === 'POST' ? await json(incoming) : undefined;
    const request = new Request(`http://127.0.0.1${url}`, { method, headers: /** @type {any} */ (headers) });
    const response = await transport.handleRequest(request, { parsedBody });
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    for await (const chunk of response.body ?? []) outgoing.write(chunk);
    outgoing.end();
  };
  const http = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  http.listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (http.address());
    console.log(`http://127.0.0.1:${port}/mcp`);
  });
}

await (process.argv[2] === 'http' ? serveHttp() : openServer().connect(new StdioServerTransport()));

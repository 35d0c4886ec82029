import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { WebStandardStreamableHTTPServerTransport, type JSONRPCMessage } from '@modelcontextprotocol/server';

interface Bridge extends AsyncDisposable {
  url: string;
}

/** A server on stdio, at an address: each session over HTTP is a process of its own, and messages pass unchanged. */
export async function openBridge(args: string[]): Promise<Bridge> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing));
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = 'GET', headers, url } = incoming;
    const parsedBody = method === 'POST' ? await json(incoming) : undefined;
    const transport = sessions.get(String(headers['mcp-session-id'])) ?? (await begin(args, sessions));
    const request = new Request(`http://127.0.0.1${url}`, { method, headers: headers as Record<string, string> });
    const response = await transport.handleRequest(request, { parsedBody });
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    for await (const chunk of response.body ?? []) outgoing.write(chunk);
    outgoing.end();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      await Promise.all([...sessions.values()].map((transport) => transport.close()));
      server.closeAllConnections();
      server.close();
    },
  };
}

async function begin(
  args: string[],
  sessions: Map<string, WebStandardStreamableHTTPServerTransport>,
): Promise<WebStandardStreamableHTTPServerTransport> {
  const id = randomUUID();
  const stdio = new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' });
  const http = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
  Object.assign(http, {
    onmessage: (message: JSONRPCMessage) => void stdio.send(message),
    onclose: () => void stdio.close(),
  });
  Object.assign(stdio, { onmessage: (message: JSONRPCMessage) => void http.send(message) });
  await stdio.start();
  await http.start();
  sessions.set(id, http);
  return http;
}

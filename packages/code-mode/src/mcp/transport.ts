import type { Transport } from '@modelcontextprotocol/client';
import { CodeModeError } from '../errors.ts';
import type { ServerOptions } from '../options.ts';

/** The most bytes of one response over HTTP. Over stdio the client has its own bound of 10 MB for a message. */
const mostBytes = 64 * 1024 * 1024;

/** Makes the transport to a server. */
export async function transportTo(options: ServerOptions): Promise<Transport> {
  if ('url' in options) {
    const { StreamableHTTPClientTransport } = await loadClient();
    const { url, headers = {} } = options;
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch: boundedFetch });
  }
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio').catch(missing);
  const { command, args = [], env, cwd } = options;
  return new StdioClientTransport({
    command,
    args,
    // The server writes to stderr for its developer, and that would mix with the host's output.
    stderr: 'ignore',
    ...(env !== undefined && { env }),
    ...(cwd !== undefined && { cwd }),
  });
}

/** @throws {CodeModeError} `client_unavailable` */
export async function loadClient(): Promise<typeof import('@modelcontextprotocol/client')> {
  return await import('@modelcontextprotocol/client').catch(missing);
}

function missing(cause: unknown): never {
  const message = 'MCP servers need the package @modelcontextprotocol/client. Install it.';
  throw new CodeModeError('client_unavailable', message, { cause });
}

async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  let bytes = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > mostBytes) controller.error(new Error(`The server sent more than ${mostBytes} bytes.`));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counting), response);
}

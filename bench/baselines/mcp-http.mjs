// The MCP server over HTTP, in a process of its own: prints its address.
import { serveMcpHttp } from '@mustard-sandbox/mcp-server/http';

const server = await serveMcpHttp({ listen: '127.0.0.1:0', consent: 'always', logLevel: 'silent' });
console.log(server.url);
process.once('SIGTERM', () => void server.close());

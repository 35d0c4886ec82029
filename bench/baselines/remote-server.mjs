// A server of sandboxes, and a plain one to compare it with, each in a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Starts a program that prints its address first.
 *
 * @param {string[]} args
 */
async function start(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const close = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { url: String(line).trim(), pid: child.pid, close };
}

/** @param {{ store: string, roots?: string[], listen?: string, storeBytes?: number }} options */
export function openRemoteServer({ store, roots = [], listen = '127.0.0.1:0', storeBytes = 64 * 1024 ** 3 }) {
  const main = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));
  const allowed = roots.flatMap((root) => ['--allow-root', root]);
  const place = ['--listen', listen, '--store', store, '--store-bytes', String(storeBytes), ...allowed];
  return start([main, 'serve', ...place, '--log-level', 'silent', '--quiet']);
}

/** What takes a body and writes it into a file, and does nothing else. @param {string} file */
export function openPlainServer(file) {
  return start([fileURLToPath(new URL('plain-server.mjs', import.meta.url)), file]);
}

/** The MCP server over HTTP. */
export function openMcpServer() {
  return start([fileURLToPath(new URL('mcp-http.mjs', import.meta.url))]);
}

/** An MCP server of the official SDK that does nothing, over HTTP. */
export function openEmptyMcpServer() {
  return start([fileURLToPath(new URL('mcp-empty.mjs', import.meta.url)), 'http']);
}

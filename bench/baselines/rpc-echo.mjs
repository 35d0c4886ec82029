import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import * as rpc from 'vscode-jsonrpc/node';

const child = fileURLToPath(new URL('rpc-child.mjs', import.meta.url));

/** A JSON-RPC request with an answer, by the library alone: what it costs to be a service at all. */
export function openRpcEcho() {
  const subprocess = spawn(process.execPath, [child], { stdio: ['pipe', 'pipe', 'inherit'] });
  const connection = rpc.createMessageConnection(
    new rpc.StreamMessageReader(subprocess.stdout),
    new rpc.StreamMessageWriter(subprocess.stdin),
  );
  connection.listen();
  return {
    echo: () => connection.sendRequest('echo', { script: '1 + 1' }),
    close() {
      connection.dispose();
      subprocess.kill();
    },
  };
}

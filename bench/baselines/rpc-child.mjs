// The least that a JSON-RPC service does: the library's own reader and writer, and an answer at once.
import * as rpc from 'vscode-jsonrpc/node';

const connection = rpc.createMessageConnection(
  new rpc.StreamMessageReader(process.stdin),
  new rpc.StreamMessageWriter(process.stdout),
);
connection.onRequest('echo', (params) => params);
connection.onClose(() => process.exit());
connection.listen();

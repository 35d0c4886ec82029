import { execa } from 'execa';
import { expect, it } from 'vitest';

/** What a host says that uses vscode-jsonrpc itself, beside the client. */
async function said(imports: string): Promise<unknown> {
  const input = `
    ${imports}
    const before = RAL();
    const sandbox = createSandbox({ spares: 0 });
    const { value } = await sandbox.run({ script: 'ask(20) + 1', hostFunctions: { ask: (n) => 2 * n } });
    await sandbox.close();
    createConnection(new PassThrough(), new PassThrough()).dispose();
    // The library hands a message over in a later turn of the event loop, after every microtask.
    const order = [];
    const bytes = new PassThrough();
    const rpc = createMessageConnection(new StreamMessageReader(bytes), new StreamMessageWriter(new PassThrough()));
    const handled = new Promise((resolve) => rpc.onNotification('hello', () => resolve(order.push('handled'))));
    rpc.listen();
    RAL().timer.setImmediate(() => order.push('turn'));
    await Promise.resolve().then(() => order.push('microtask'));
    const body = '{"jsonrpc":"2.0","method":"hello"}';
    bytes.write('Content-Length: ' + body.length + '\\r\\n\\r\\n' + body);
    await handled;
    rpc.dispose();
    console.log(JSON.stringify({ value, same: RAL() === before, order }));`;
  const { stdout } = await execa(process.execPath, ['--input-type=module'], { input });
  return JSON.parse(stdout);
}

const library = `import { createMessageConnection, RAL, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';`;
const ours = `
  import { PassThrough } from 'node:stream';
  import { createSandbox } from '@mustard-sandbox/client';
  import { createConnection } from '@mustard-sandbox/protocol';`;

it.each([
  ['before', library + ours],
  ['after', ours + library],
])("a host's own vscode-jsonrpc, loaded %s the client, keeps its runtime", async (_, imports) => {
  expect(await said(imports)).toEqual({ value: 41, same: true, order: ['microtask', 'turn', 'handled'] });
});

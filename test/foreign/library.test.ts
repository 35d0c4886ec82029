import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import {
  CancellationTokenSource,
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { protocolVersion } from '@mustard-sandbox/protocol';

const main = fileURLToPath(import.meta.resolve('@mustard-sandbox/daemon/main'));

it('a client by a general-purpose JSON-RPC library initializes, runs, serves a call, cancels and ends', async () => {
  const daemon = spawn(process.execPath, [main], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void daemon.kill('SIGKILL'));
  const exitCode = new Promise((resolve) => daemon.on('exit', resolve));
  const rpc = createMessageConnection(new StreamMessageReader(daemon.stdout), new StreamMessageWriter(daemon.stdin));
  onTestFinished(() => rpc.dispose());
  const lines: unknown[] = [];
  rpc.onNotification('sandbox/console', ({ text }: { text: string }) => void lines.push(text));
  let called = (): void => {};
  rpc.onRequest('sandbox/callHostFunction', ({ name, args }: { name: string; args: { json: number[] } }) => {
    called();
    return name === 'wait' ? new Promise(() => {}) : { value: { json: 2 * (args.json[0] as number) } };
  });
  rpc.listen();

  const client = { name: 'library', version: '1' };
  await expect(rpc.sendRequest('initialize', { protocolVersion, client })).resolves.toMatchObject({ protocolVersion });

  const run = { runId: '1', scope: {}, limits: {} };
  const script = "console.log('asking'); double(21)";
  const answer = rpc.sendRequest('sandbox/run', { ...run, script, hostFunctions: ['double'] });
  await expect(answer).resolves.toMatchObject({ value: { json: 42 }, hostCalls: 1 });
  expect(lines).toEqual(['asking']);

  await expect(rpc.sendRequest('sandbox/run', { ...run, script: 'missing' })).rejects.toMatchObject({
    code: 1003,
    data: { code: 'script_error' },
  });

  const cancellation = new CancellationTokenSource();
  called = () => cancellation.cancel();
  const waiting = { ...run, script: 'wait()', hostFunctions: ['wait'] };
  await expect(rpc.sendRequest('sandbox/run', waiting, cancellation.token)).rejects.toMatchObject({
    data: { code: 'cancelled' },
  });

  await rpc.sendRequest('shutdown', {});
  await rpc.sendNotification('exit', {});
  expect(await exitCode).toBe(0);
});

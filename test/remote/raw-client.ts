import { WebSocket } from 'ws';
import { token } from './support.ts';

/** A client that says whatever it is told to, in the remote dialect: the answer to one run. */
export async function runRaw(url: string, scope: object, params: object = {}): Promise<Record<string, unknown>> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/sandbox`, ['mustard-sandbox.1.remote'], {
    headers: { authorization: `Bearer ${token}` },
  });
  let rest = Buffer.alloc(0);
  const answers = new Map<number, (message: Record<string, unknown>) => void>();
  socket.on('message', (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    for (;;) {
      const end = rest.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/.exec(rest.subarray(0, end).toString())?.[1]);
      if (rest.length < end + 4 + length) return;
      const message = JSON.parse(rest.subarray(end + 4, end + 4 + length).toString()) as Record<string, unknown>;
      rest = rest.subarray(end + 4 + length);
      answers.get(message['id'] as number)?.(message);
    }
  });
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  let id = 0;
  const ask = (method: string, content: object): Promise<Record<string, unknown>> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params: content });
    socket.send(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    return new Promise((resolve) => answers.set(id, resolve));
  };
  await ask('initialize', { protocolVersion: 1, client: { name: 'raw', version: '1' } });
  const answer = await ask('sandbox/run', { runId: '1', script: '1', scope, limits: {}, ...params });
  socket.terminate();
  return answer;
}

import { WebSocket } from 'ws';
import { protocolVersion } from '@mustard-sandbox/protocol';
import { token } from './support.ts';

type Answer = Record<string, unknown>;

/** A client that says whatever it is told to, in either dialect: the answers to its requests. */
export async function askRaw(
  url: string,
  dialect: string,
  requests: [method: string, params: object][],
): Promise<Answer[]> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/sandbox`, [dialect], {
    headers: { authorization: `Bearer ${token}` },
  });
  let rest = Buffer.alloc(0);
  const answers = new Map<number, (message: Answer) => void>();
  socket.on('message', (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    for (;;) {
      const end = rest.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/.exec(rest.subarray(0, end).toString())?.[1]);
      if (rest.length < end + 4 + length) return;
      const message = JSON.parse(rest.subarray(end + 4, end + 4 + length).toString()) as Answer;
      rest = rest.subarray(end + 4 + length);
      answers.get(message['id'] as number)?.(message);
    }
  });
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  let id = 0;
  const ask = (method: string, content: object): Promise<Answer> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params: content });
    socket.send(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    return new Promise((resolve) => answers.set(id, resolve));
  };
  const given: Answer[] = [];
  for (const [method, params] of requests) given.push(await ask(method, params));
  socket.terminate();
  return given;
}

/** The answer to one run of a client that speaks the remote dialect. */
export async function runRaw(url: string, scope: object): Promise<Answer> {
  const [, answer] = await askRaw(url, 'mustard-sandbox.1.remote', [
    ['initialize', { protocolVersion, client: { name: 'raw', version: '1' } }],
    ['sandbox/run', { runId: '1', script: '1', scope, limits: {} }],
  ]);
  return answer as Answer;
}

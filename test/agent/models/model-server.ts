// A model that does as it is told: an HTTP server with the streaming protocol of OpenAI.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the server does with one request, in order. */
export type ModelStep =
  /** Words, in one chunk. */
  | { text: string }
  | { reasoning: string }
  /** A call; `pieces` of its arguments come one by one. */
  | { call: string; args: unknown; pieces?: number; id?: string }
  /** Something that is no chunk. */
  | { raw: string }
  /** What it says at the end that the request took, as JSON. */
  | { usage: string }
  /** Waits until `ModelServer.release` is called with this name. */
  | { wait: string }
  /** For ever, until the client goes. */
  | { endless: 'text' | 'arguments' }
  /** Nothing more, and the socket stays open. */
  | 'hang'
  /** The socket is destroyed. */
  | 'cut'
  /** The response ends without an end of the answer. */
  | 'stop-short'
  /** The answer ends because the model has no more room. */
  | 'length';

/** An answer of its own status, before any stream. */
interface ModelError {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export type ModelReply = readonly ModelStep[] | ModelError;

/** What a request brought. */
export interface ModelRequest {
  model: string;
  messages: { role: string; content: unknown; tool_calls?: unknown[] }[];
  tools?: { function: { name: string } }[];
  tool_choice?: unknown;
  stream_options?: unknown;
  temperature?: number;
  max_tokens?: number;
  reasoning_effort?: string;
  headers: IncomingMessage['headers'];
}

/** Answers each request with the next reply, and tells what was asked. When there is no reply left it says so. */
export class ModelServer implements AsyncDisposable {
  readonly requests: ModelRequest[] = [];
  /** Requests whose client went before their end. */
  gone = 0;
  readonly #server;
  readonly #replies: ModelReply[] = [];
  readonly #released = new Set<string>();
  readonly #waiting = new Map<string, () => void>();
  /** What `GET /v1/models` gives. */
  models = ['scripted'];

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<ModelServer> {
    const server = new ModelServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  /** The base URL of a provider. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** The id of its model, as the agent names it. */
  get modelId(): string {
    return `openai-compatible:${this.url}:scripted`;
  }

  /** What the next requests get, one each. */
  reply(...replies: ModelReply[]): void {
    this.#replies.push(...replies);
  }

  /** Forgets the replies that nobody asked for. */
  clear(): void {
    this.#replies.length = 0;
  }

  release(name: string): void {
    this.#released.add(name);
    this.#waiting.get(name)?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data: this.models.map((id) => ({ id })) }));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Omit<ModelRequest, 'headers'>;
    this.requests.push({ ...body, headers: request.headers });
    response.on('close', () => {
      if (!response.writableFinished) this.gone++;
    });
    const reply = this.#replies.shift() ?? [{ text: 'There is no reply left.' }];
    if ('status' in reply) {
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(JSON.stringify(reply.body ?? { error: { message: `status ${reply.status}` } }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    await this.#stream(reply, response);
  }

  async #stream(steps: readonly ModelStep[], response: ServerResponse): Promise<void> {
    let finish = 'stop';
    let calls = 0;
    let usage = '';
    const send = (delta: object, reason: string | null = null): boolean =>
      response.write(`data: ${JSON.stringify(chunk(delta, reason))}\n\n`);
    send({ role: 'assistant', content: '' });
    for (const step of steps) {
      if (response.destroyed) return;
      if (step === 'hang') return;
      if (step === 'cut') {
        // After what was written has gone out.
        await new Promise((resolve) => response.write(': cut\n\n', resolve));
        response.destroy();
        return;
      }
      if (step === 'stop-short') return void response.end();
      if (step === 'length') finish = 'length';
      else if ('text' in step) send({ content: step.text });
      else if ('reasoning' in step) send({ reasoning_content: step.reasoning });
      else if ('usage' in step) usage = step.usage;
      else if ('raw' in step) response.write(step.raw);
      else if ('wait' in step) await this.#whenReleased(step.wait);
      else if ('endless' in step) return await endless(step.endless, send, response);
      else {
        finish = 'tool_calls';
        sendCall(step, calls++, send);
      }
    }
    send({}, finish);
    const told = JSON.stringify({ ...chunk({}, null), choices: [], usage: 0 });
    if (usage !== '') response.write(`data: ${told.replace(/0}$/, `${usage}}`)}\n\n`);
    response.end('data: [DONE]\n\n');
  }

  async #whenReleased(name: string): Promise<void> {
    if (!this.#released.has(name)) await new Promise<void>((resolve) => this.#waiting.set(name, resolve));
  }
}

function chunk(delta: object, finishReason: string | null): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}

function sendCall(
  { call: name, args, pieces = 1, id }: Extract<ModelStep, { call: string }>,
  index: number,
  send: (delta: object) => void,
): void {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  const size = Math.ceil(text.length / pieces);
  const first = { index, id: id ?? `call_${index}_${Math.random().toString(36).slice(2)}`, type: 'function' };
  for (let at = 0; at === 0 || at < text.length; at += size) {
    const part = { function: { ...(at === 0 && { name }), arguments: text.slice(at, at + size) } };
    send({ tool_calls: [at === 0 ? { ...first, ...part } : { index, ...part }] });
  }
}

async function endless(
  what: 'text' | 'arguments',
  send: (delta: object) => boolean,
  response: ServerResponse,
): Promise<void> {
  const piece = 'endless '.repeat(1_000);
  if (what === 'arguments') {
    send({
      tool_calls: [
        { index: 0, id: 'call_0', type: 'function', function: { name: 'search', arguments: '{"pattern":"' } },
      ],
    });
  }
  while (!response.destroyed) {
    const delta = what === 'text' ? { content: piece } : { tool_calls: [{ index: 0, function: { arguments: piece } }] };
    if (!send(delta)) await drained(response);
  }
}

/** Or closed. */
async function drained(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}

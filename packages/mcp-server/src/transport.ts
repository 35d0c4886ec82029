import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { assertMessageShape, messageOf } from '@mustard-sandbox/protocol';
import { Batches } from './batches.ts';
import { Lines } from './lines.ts';
import {
  errorCodes,
  idAtEdges,
  idOf,
  inSentences,
  maxMessageBytes,
  maxMessageItems,
  problemOf,
  withOldCode,
} from './requests.ts';

/** The revision of MCP that defines batches, and the one before it, where JSON-RPC allowed them. */
const versionsWithBatches = ['2024-11-05', '2025-03-26'];

/**
 * stdin and stdout of this process. Every request with an id gets an answer, in sentences. The SDK alone would not do
 * that: it drops requests that do not match its schemas, answers wrong params with a dump of its checks, closes the
 * connection at a message that is too long, overflows the stack at one that nests too deep, and has no batches.
 */
export class CheckedTransport extends StdioServerTransport {
  /** Settles when either side has ended the connection. */
  readonly ended: Promise<void>;
  readonly #input = process.stdin;
  readonly #lines: Lines;
  readonly #onProblem: (message: string) => void;
  readonly #batches = new Batches();
  /** The version that the handshake agreed on. Since 2026-07-28 there is no handshake. */
  #version: string | undefined;
  #end = (): void => {};

  constructor(onProblem: (message: string) => void) {
    const lines = new Lines(maxMessageBytes);
    // Our `Lines` enforce the one limit. A line may be longer after it was rewritten, so the limit of the SDK would be
    // a second one.
    super(lines, process.stdout, { maxBufferSize: Infinity });
    this.#lines = lines;
    this.#onProblem = onProblem;
    this.ended = new Promise((resolve) => (this.#end = resolve));
    lines.onLine = (line) => this.#passLine(line).map((message) => JSON.stringify(message));
    lines.onTooLong = (start, end) => this.#refuseLong(idAtEdges(start, end));
  }

  override async start(): Promise<void> {
    await super.start();
    this.#input.on('error', ({ message }) => this.#onProblem(message)).pipe(this.#lines);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    this.#version ??= versionIn(message);
    const said = inSentences(this.#version === undefined ? message : withOldCode(message));
    const ready = this.#batches.answer(said);
    if (ready !== undefined) await super.send(ready as JSONRPCMessage);
  }

  override async close(): Promise<void> {
    this.#input.unpipe(this.#lines).pause();
    await super.close();
    this.#end();
  }

  /** The messages of a line that the SDK gets. */
  #passLine(line: Buffer): readonly object[] {
    const message = parseJson(line.toString());
    try {
      assertMessageShape(line, maxMessageItems);
    } catch (error) {
      const ids = idsIn(message);
      if (ids.length === 0) this.#onProblem(`A message was left out: ${messageOf(error)}`);
      for (const id of ids) this.#refuse(id, errorCodes.invalidRequest, messageOf(error));
      return [];
    }
    return this.#pass(message);
  }

  #pass(message: unknown): readonly object[] {
    if (Array.isArray(message)) return this.#passBatch(message);
    if (typeof message !== 'object' || message === null) return [];
    const id = idOf(message);
    if (id === undefined && !isMessage(message)) {
      this.#onProblem('A line was left out: it is not a JSON-RPC message.');
      return [];
    }
    const problem = id === undefined ? undefined : problemOf(message);
    if (id !== undefined && problem !== undefined) {
      this.#refuse(id, problem.code, problem.message);
      return [];
    }
    const ready = this.#batches.noteCancelled(message);
    if (ready !== undefined) void super.send(ready as unknown as JSONRPCMessage).catch(() => {});
    return [message];
  }

  #passBatch(messages: readonly unknown[]): readonly object[] {
    const ids = idsIn(messages);
    if (versionsWithBatches.includes(this.#version ?? '')) {
      this.#batches.begin(ids);
      return messages.flatMap((message) => this.#pass(message));
    }
    for (const id of ids) {
      this.#refuse(
        id,
        errorCodes.invalidRequest,
        'This version of MCP has no batches: send each message on a line of its own.',
      );
    }
    return [];
  }

  #refuseLong(id: RequestId | undefined): void {
    const most = `A message may have at most ${maxMessageBytes} bytes.`;
    if (id === undefined) this.#onProblem(`A message was left out: ${most}`);
    else this.#refuse(id, errorCodes.invalidRequest, `${most} Name a file instead of sending its content.`);
  }

  #refuse(id: RequestId, code: number, message: string): void {
    this.send({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => {});
  }
}

/** Returns `undefined` for a line that is not JSON. It has no id, so nobody waits for an answer. */
function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The id of a request, or the ids in a batch. */
function idsIn(message: unknown): RequestId[] {
  const messages: readonly unknown[] = Array.isArray(message) ? message : [message];
  return messages.map((message) => idOf(message)).filter((id) => id !== undefined);
}

function isMessage(message: object): boolean {
  return ['method', 'result', 'error'].some((field) => Object.hasOwn(message, field));
}

/** The protocol version in the answer to `initialize`. */
function versionIn(message: JSONRPCMessage): string | undefined {
  if (!('result' in message)) return undefined;
  const { protocolVersion, serverInfo } = message.result as { protocolVersion?: unknown; serverInfo?: unknown };
  return typeof protocolVersion === 'string' && serverInfo !== undefined ? protocolVersion : undefined;
}

import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { Batches } from './batches.ts';
import { Lines } from './lines.ts';
import { errorCodes, idOf, inSentences, problemOf, withOldCode } from './requests.ts';

/**
 * What one message of a client may take, in bytes. Far more than any script may be, so that one that is too long gets
 * an answer which says so.
 */
const maxMessageBytes = 16 * 1024 * 1024;

/** The one revision of MCP that has batches, and the one before it, whose JSON-RPC had them. */
const versionsWithBatches = ['2024-11-05', '2025-03-26'];

/**
 * stdin and stdout of this process. A request with an id always gets an answer, in sentences: the SDK drops requests
 * that its schemas do not fit, shows those that its handlers do not fit as a dump of its checks, ends the connection at
 * a message that is too long, and knows no batches.
 */
export class CheckedTransport extends StdioServerTransport {
  /** The connection has ended, by whichever side. */
  readonly ended: Promise<void>;
  readonly #lines: Lines;
  readonly #onProblem: (message: string) => void;
  readonly #batches = new Batches();
  /** As negotiated by a handshake, which there is none of since 2026-07-28. */
  #version: string | undefined;
  #end = (): void => {};

  constructor(onProblem: (message: string) => void) {
    const lines = new Lines(maxMessageBytes);
    super(lines, process.stdout);
    this.#lines = lines;
    this.#onProblem = onProblem;
    this.ended = new Promise((resolve) => (this.#end = resolve));
    lines.onLine = (line) => this.#pass(parseJson(line)).map((message) => JSON.stringify(message));
    lines.onTooLong = (head) => this.#refuseLong(head);
  }

  override async start(): Promise<void> {
    await super.start();
    process.stdin.on('error', ({ message }) => this.#onProblem(message)).pipe(this.#lines);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    this.#version ??= versionIn(message);
    const said = inSentences(this.#version === undefined ? message : withOldCode(message));
    const ready = this.#batches.answer(said);
    if (ready !== undefined) await super.send(ready as JSONRPCMessage);
  }

  override async close(): Promise<void> {
    process.stdin.unpipe(this.#lines).pause();
    await super.close();
    this.#end();
  }

  /** What of a line goes on to the SDK. */
  #pass(message: unknown): readonly object[] {
    if (Array.isArray(message)) return this.#passBatch(message);
    if (typeof message !== 'object' || message === null) return [];
    if (!isMessage(message)) {
      this.#onProblem('A line was left out: it is no message of JSON-RPC.');
      return [];
    }
    const id = idOf(message);
    const problem = id === undefined ? undefined : problemOf(message);
    if (id !== undefined && problem !== undefined) {
      this.#refuse(id, problem.code, problem.message);
      return [];
    }
    this.#batches.noteCancelled(message);
    return [message];
  }

  #passBatch(messages: readonly unknown[]): readonly object[] {
    const ids = messages.map((message) => idOf(message)).filter((id) => id !== undefined);
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

  #refuseLong(head: string): void {
    const most = `A message may have at most ${maxMessageBytes} bytes.`;
    const id = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)/.exec(head)?.[1];
    if (id === undefined) this.#onProblem(`A message was left out: ${most}`);
    else
      this.#refuse(
        JSON.parse(id) as RequestId,
        errorCodes.invalidRequest,
        `${most} Name a file instead of sending its content.`,
      );
  }

  #refuse(id: RequestId, code: number, message: string): void {
    this.send({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => {});
  }
}

/** `undefined` for what is none: without an id there is nobody to answer. */
function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isMessage(message: object): boolean {
  return ['method', 'result', 'error'].some((field) => Object.hasOwn(message, field));
}

/** Of the answer to `initialize`. */
function versionIn(message: JSONRPCMessage): string | undefined {
  if (!('result' in message)) return undefined;
  const { protocolVersion, serverInfo } = message.result as { protocolVersion?: unknown; serverInfo?: unknown };
  return typeof protocolVersion === 'string' && serverInfo !== undefined ? protocolVersion : undefined;
}

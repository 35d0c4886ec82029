import { AsyncLocalStorage } from 'node:async_hooks';
import type { LoggingLevel, Server, ServerContext } from '@modelcontextprotocol/server';
import type { AgentEvent, AgentEventListener } from '@mustard-sandbox/agent-tool';

const levels: Record<AgentEvent['type'], LoggingLevel> = {
  'attachment.stored': 'info',
  'attachment.manifest_rebuilt': 'warning',
  'sandbox.script.asked': 'debug',
  'sandbox.script.run': 'debug',
  'sandbox.script.completed': 'info',
  'sandbox.script.failed': 'warning',
  'sandbox.script.timeout': 'warning',
  'sandbox.script.crashed': 'error',
  'sandbox.script.truncated': 'info',
  'sandbox.script.denied': 'notice',
  'sandbox.isolation.degraded': 'warning',
  'sandbox.tool.unused_with_attachment': 'info',
};

const logger = 'mustard-sandbox';

/**
 * Tells the client what happens: as log messages, and that there are other attachments. Events hold names, sizes and times, and nothing of a file or a
 * script. The SDK leaves out what is below the level that the client has set.
 */
export class ClientLog {
  readonly #during = new AsyncLocalStorage<ServerContext>();
  readonly #onProblem: ((message: string) => void) | undefined;
  #server: Server | undefined;

  /** @param onProblem hears notes as long as there is no client */
  constructor(onProblem: ((message: string) => void) | undefined) {
    this.#onProblem = onProblem;
  }

  connect(server: Server): void {
    this.#server = server;
  }

  /** What is logged within `work` belongs to this request. Since 2026-07-28 a client gets no other messages. */
  async during<T>(context: ServerContext, work: () => Promise<T>): Promise<T> {
    return await this.#during.run(context, work);
  }

  readonly events: AgentEventListener = (event) => this.#send(levels[event.type], event);

  /** Something that is no event of a script, for a person to read. */
  note(level: LoggingLevel, message: string): void {
    if (this.#server === undefined) this.#onProblem?.(message);
    this.#send(level, { message });
  }

  /** There are other attachments. */
  resourcesChanged(): void {
    this.#server?.sendResourceListChanged().catch(() => {});
  }

  #send(level: LoggingLevel, data: object): void {
    const request = this.#during.getStore();
    const sent = request?.mcpReq.log(level, data, logger) ?? this.#server?.sendLoggingMessage({ level, data, logger });
    // The client is gone.
    sent?.catch(() => {});
  }
}

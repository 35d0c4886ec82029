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

/** A receiver of messages that belong to no request. */
export interface Listener {
  log: (level: LoggingLevel, data: object, logger: string) => Promise<void>;
  resourcesChanged: () => Promise<void>;
}

/**
 * Reports to clients what happens, as log messages, and that there are other attachments. Events hold names, sizes and
 * times, and nothing of a file or a script. The SDK leaves out messages below the level that a client has set.
 */
export class ClientLog {
  readonly #during = new AsyncLocalStorage<ServerContext>();
  readonly #onProblem: ((message: string) => void) | undefined;
  readonly #onEvent: AgentEventListener | undefined;
  readonly #listeners = new Set<Listener>();

  /**
   * @param onProblem called with notes while there is no client
   * @param onEvent called with every event, too
   */
  constructor(onProblem: ((message: string) => void) | undefined, onEvent?: AgentEventListener) {
    this.#onProblem = onProblem;
    this.#onEvent = onEvent;
  }

  /** @returns a function that ends the connection */
  connect(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Everything that is logged within `work` belongs to this request. Since 2026-07-28 a client gets no other messages.
   */
  async during<T>(context: ServerContext, work: () => Promise<T>): Promise<T> {
    return await this.#during.run(context, work);
  }

  readonly events: AgentEventListener = (event) => {
    this.#onEvent?.(event);
    this.#send(levels[event.type], event);
  };

  /** Logs a note for a person, which is not an event of a script. */
  note(level: LoggingLevel, message: string): void {
    if (this.#listeners.size === 0) this.#onProblem?.(message);
    this.#send(level, { message });
  }

  /** Call this when there are other attachments. */
  resourcesChanged(): void {
    // A client that is gone needs no messages.
    for (const listener of this.#listeners) listener.resourcesChanged().catch(() => {});
  }

  #send(level: LoggingLevel, data: object): void {
    const request = this.#during.getStore();
    if (request !== undefined) request.mcpReq.log(level, data, logger).catch(() => {});
    else for (const listener of this.#listeners) listener.log(level, data, logger).catch(() => {});
  }
}

/** The receiver for the client that is connected to `server`. */
export function listenerOf(server: Server): Listener {
  return {
    log: (level, data, logger) => server.sendLoggingMessage({ level, data, logger }),
    resourcesChanged: () => server.sendResourceListChanged(),
  };
}

import type { Connection } from '@mustard-sandbox/protocol';
import type { SandboxEvents } from '@mustard-sandbox/client/peer';
import { forwardedEvents, type RemoteProtocol } from '../wire/protocol.ts';
import { cleanFacts, cleanStats } from './clean.ts';
import type { Tenant } from './tenant.ts';

/** How often a client that only runs scripts gets the statistics, in ms. */
const statsMs = 1_000;

/** Reports to a client what happens to the processes of its token. */
export class News {
  readonly #connection: Connection<RemoteProtocol>;
  readonly #tenant: Tenant;
  #stop: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(connection: Connection<RemoteProtocol>, tenant: Tenant) {
    this.#connection = connection;
    this.#tenant = tenant;
  }

  begin(): void {
    const { sandbox } = this.#tenant;
    this.#stop = forwardedEvents.map((event) =>
      sandbox.on(event, (facts: SandboxEvents[typeof event]) => {
        this.#connection.notify('sandbox/event', { event, facts: cleanFacts(facts) });
        this.#tellStats();
      }),
    );
  }

  /** Runs change the statistics, but nobody needs to know that at once. */
  soon(): void {
    this.#timer ??= setTimeout(() => this.#tellStats(), statsMs).unref();
  }

  end(): void {
    clearTimeout(this.#timer);
    for (const stop of this.#stop) stop();
  }

  #tellStats(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#connection.notify('sandbox/stats', cleanStats(this.#tenant.sandbox.stats()));
  }
}

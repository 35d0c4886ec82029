// Where scripts run: one sandbox an app, so that the jail of one app has nothing of another.
import { mkdir, realpath } from 'node:fs/promises';
import { createSandbox, limitTable, type Sandbox } from '@mustard-sandbox/client';
import type { App } from '../../contract/index.ts';

/** What the cards are told of a sandbox; the names are those of the cards. */
export type SandboxEvent = { at: string } & (
  | { type: 'card.sandbox.not_ready'; state: 'restarting' | 'unavailable'; retryMs: number; message: string }
  | { type: 'card.sandbox.ready' }
  | { type: 'card.sandbox.unconfined'; reason: string }
  | { type: 'card.sandbox.confined' }
);

export class Sandboxes implements AsyncDisposable {
  readonly #mediaFolder: string;
  readonly #tell: (appId: string, event: SandboxEvent) => void;
  readonly #byApp = new Map<string, Promise<Sandbox>>();

  /** @param mediaFolder with the attachments of all chats, absolute; a script reaches only those of its own */
  constructor(mediaFolder: string, tell: (appId: string, event: SandboxEvent) => void) {
    this.#mediaFolder = mediaFolder;
    this.#tell = tell;
  }

  /** Made at the first use; its processes start with the first script. */
  async of(app: App): Promise<Sandbox> {
    const known = this.#byApp.get(app.id);
    if (known !== undefined) return await known;
    const made = this.#make(app);
    this.#byApp.set(app.id, made);
    made.catch(() => this.#byApp.delete(app.id));
    return await made;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const made = await Promise.allSettled(this.#byApp.values());
    await Promise.all(made.flatMap((one) => (one.status === 'fulfilled' ? [one.value.close()] : [])));
  }

  async #make(app: App): Promise<Sandbox> {
    // Roots must be there when it is made.
    await mkdir(this.#mediaFolder, { recursive: true, mode: 0o700 });
    const roots = await Promise.all([app.path, this.#mediaFolder].map((path) => realpath(path)));
    // No spare: a person waits for the first start only, and a chat without scripts costs no process.
    const sandbox = createSandbox({ roots, spares: 0, maxTimeoutMs: limitTable.timeoutMs.ceiling });
    follow(sandbox, (event) => this.#tell(app.id, event));
    return sandbox;
  }
}

/** As `followSandbox` of the cards does; their package is one for pages, with React. */
function follow(sandbox: Sandbox, tell: (event: SandboxEvent) => void): void {
  const at = (): string => new Date().toISOString();
  sandbox.on('backing_off', ({ delayMs: retryMs, message }) =>
    tell({ type: 'card.sandbox.not_ready', at: at(), state: 'restarting', retryMs, message }),
  );
  sandbox.on('unavailable', ({ untilMs: retryMs, message }) =>
    tell({ type: 'card.sandbox.not_ready', at: at(), state: 'unavailable', retryMs, message }),
  );
  sandbox.on('recovered', () => tell({ type: 'card.sandbox.ready', at: at() }));
  sandbox.on('isolation_degraded', ({ reason }) => tell({ type: 'card.sandbox.unconfined', at: at(), reason }));
  sandbox.on('spawned', ({ isolation }) => {
    if (isolation === 'jail') tell({ type: 'card.sandbox.confined', at: at() });
  });
}

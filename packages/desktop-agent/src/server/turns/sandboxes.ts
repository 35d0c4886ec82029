// Where scripts run: one sandbox an app, so that the jail of one app has nothing of another.
import { mkdir, realpath } from 'node:fs/promises';
import { followSandbox, type SandboxEvent } from '@mustard-sandbox/agent-tool';
import { createSandbox, limitTable, type Sandbox } from '@mustard-sandbox/client';
import type { App } from '../../shared/contract/index.ts';

export class Sandboxes implements AsyncDisposable {
  readonly #sharedFolders: readonly string[];
  readonly #tell: (appId: string, event: SandboxEvent) => void;
  readonly #byApp = new Map<string, Promise<Sandbox>>();

  /** @param sharedFolders with the files of all chats, absolute; a script reaches only those of its own */
  constructor(sharedFolders: readonly string[], tell: (appId: string, event: SandboxEvent) => void) {
    this.#sharedFolders = sharedFolders;
    this.#tell = tell;
  }

  /** Made at the first use; its processes start with the first script. */
  async of(app: App): Promise<Sandbox> {
    const known = this.#byApp.get(app.id);
    if (known !== undefined) return await known;
    const made = this.#make(app.id, app.path);
    this.#byApp.set(app.id, made);
    made.catch(() => this.#byApp.delete(app.id));
    return await made;
  }

  /** For scripts that read what commands made. The caller closes it. @param folder absolute */
  async ofWorkspace(appId: string, folder: string): Promise<Sandbox> {
    return await this.#make(appId, folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const made = await Promise.allSettled(this.#byApp.values());
    await Promise.all(made.flatMap((one) => (one.status === 'fulfilled' ? [one.value.close()] : [])));
  }

  async #make(appId: string, folder: string): Promise<Sandbox> {
    // Roots must be there when it is made.
    await Promise.all(this.#sharedFolders.map((shared) => mkdir(shared, { recursive: true, mode: 0o700 })));
    const roots = await Promise.all([folder, ...this.#sharedFolders].map((path) => realpath(path)));
    // No spare: a person waits for the first start only, and a chat without scripts costs no process.
    const sandbox = createSandbox({ roots, spares: 0, maxTimeoutMs: limitTable.timeoutMs.ceiling });
    followSandbox(sandbox, (event) => this.#tell(appId, event));
    return sandbox;
  }
}

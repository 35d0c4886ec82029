import { mkdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  createSandbox,
  limitTable,
  type Diagnostic,
  type RunOptions,
  type RunResult,
  type Sandbox,
  SandboxError,
  type SandboxStats,
} from '@mustard-sandbox/client';
import { isInside } from '@mustard-sandbox/paths';
import { maxRoots } from '@mustard-sandbox/protocol';
import { emit } from '../events.ts';
import type { ToolOptions } from './options.ts';

type OwnSandboxOptions = Pick<ToolOptions, 'appPath' | 'media' | 'isolation' | 'engine' | 'events' | 'outputs'>;

/** A client may send many calls at once and only waits for them, so most are bounded by time. */
const queue = { maxQueue: 1_000, queueTimeoutMs: 5 * 60_000 };

/** One sandbox with its roots. It is used as long as these roots are enough. */
interface RootedSandbox {
  sandbox: Sandbox;
  roots: readonly string[];
  runs: number;
}

/**
 * The sandbox of a tool that got none. It has `roots`, so it is in a jail if the machine has one.
 *
 * Roots are fixed at creation and must exist, but attachments may come from anywhere at any time. So the sandbox is
 * made with the roots that the first run needs, and replaced when a run needs more. The old one ends with the last of
 * its runs. With an `AttachmentStore` that happens at most once, when its folder is made.
 */
export class OwnSandbox {
  readonly #isolation: OwnSandboxOptions['isolation'];
  readonly #engine: OwnSandboxOptions['engine'];
  readonly #events: OwnSandboxOptions['events'];
  readonly #appPath: string | undefined;
  /** The folder where scripts save, if they may. */
  readonly #saved: string | undefined;
  readonly #media: OwnSandboxOptions['media'];
  readonly #sandboxes = new Set<RootedSandbox>();
  #current: RootedSandbox | undefined;
  #closed = false;

  constructor({ isolation, engine, appPath, media, events, outputs }: OwnSandboxOptions) {
    this.#saved = typeof outputs === 'object' ? outputs.folder : outputs;
    this.#isolation = isolation;
    this.#engine = engine;
    this.#events = events;
    this.#appPath = appPath;
    this.#media = media;
  }

  /** The statistics of the present sandbox; `undefined` before the first run. */
  stats(): SandboxStats | undefined {
    return this.#current?.sandbox.stats();
  }

  /** @throws {SandboxError} like `Sandbox.run`, and `invalid_request` for an isolation that is not possible here */
  async run(options: RunOptions): Promise<RunResult> {
    return await this.#use(options.scope, (sandbox) => sandbox.run(options));
  }

  /**
   * Validates in the sandbox that will run the script.
   *
   * @throws {SandboxError} like `Sandbox.validate`
   */
  async validate(
    script: string,
    scope: RunOptions['scope'],
    options: Pick<RunOptions, 'engine'>,
  ): Promise<Diagnostic[]> {
    return await this.#use(scope, (sandbox) => sandbox.validate(script, options));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#sandboxes].map(({ sandbox }) => sandbox.close()));
  }

  async #use<T>(scope: RunOptions['scope'], work: (sandbox: Sandbox) => Promise<T>): Promise<T> {
    const rooted = this.#sandboxFor(scope);
    rooted.runs++;
    try {
      return await work(rooted.sandbox);
    } finally {
      rooted.runs--;
      void this.#leave(rooted);
    }
  }

  #sandboxFor(scope: RunOptions['scope']): RootedSandbox {
    if (this.#closed) throw new SandboxError('closed', 'The tool was closed.');
    const files = scope?.attachments ?? [];
    const chosen = [scope?.root, ...files.filter(({ noLinks }) => noLinks !== true).map(({ path }) => path)];
    const own = files.filter(({ noLinks }) => noLinks === true).map(({ path }) => path);
    const needed = [...realPaths(chosen.filter((path) => path !== undefined)), ...realPaths(own, { noLinks: true })];
    const old = this.#current;
    if (old !== undefined && needed.every((path) => isInside(path, old.roots))) return old;
    const roots = chooseRoots(this.#folders(), needed, realPaths(old?.roots ?? []));
    // The limits and the settings of the tool say how long a run may take.
    const maxTimeoutMs = limitTable.timeoutMs.ceiling;
    const sandbox = createSandbox({ roots, isolation: this.#isolation, engine: this.#engine, maxTimeoutMs, ...queue });
    const rooted = { sandbox, roots, runs: 0 };
    const events = this.#events;
    // Without a listener the process emits a warning.
    if (events !== undefined) {
      rooted.sandbox.on('isolation_degraded', (facts) => {
        emit(events, { type: 'sandbox.isolation.degraded', ...facts });
      });
    }
    this.#sandboxes.add(rooted);
    this.#current = rooted;
    if (old !== undefined) void this.#leave(old);
    return rooted;
  }

  /** The roots of every run, if they exist. A media folder that is a link is left out. */
  #folders(): string[] {
    const app = realPaths(this.#appPath === undefined ? [] : [this.#appPath]);
    const media = this.#media.folders.flatMap((folder) => folder.realPathSync() ?? []);
    const saved = this.#saved === undefined ? [] : [realFolder(this.#saved)];
    return [...app, ...[...media, ...saved].filter((folder) => !isInside(folder, app))];
  }

  async #leave(rooted: RootedSandbox): Promise<void> {
    if (rooted === this.#current || rooted.runs > 0) return;
    await rooted.sandbox.close();
    this.#sandboxes.delete(rooted);
  }
}

/**
 * @param earlier roots of earlier runs, kept while there is room. Otherwise a host whose chats list different files
 * would
 *   replace its sandbox at every turn
 * @throws {SandboxError} `invalid_request` for more files than a jail can hold one by one, because opening their
 * folders
 *   would open more
 */
function chooseRoots(folders: readonly string[], needed: readonly string[], earlier: readonly string[]): string[] {
  const files = needed.filter((path) => !isInside(path, folders));
  const roots = [...new Set([...folders, ...files])];
  if (roots.length > maxRoots) {
    throw new SandboxError(
      'invalid_request',
      `attachments: ${roots.length - folders.length} files outside of the app's folder are too many for one call, at ` +
        `most ${maxRoots - folders.length}. List fewer, or keep them in an AttachmentStore of the app.`,
    );
  }
  return [...new Set([...roots, ...earlier])].slice(0, maxRoots);
}

/** A root must exist, and this one is made with the first run. */
function realFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  return realpathSync.native(path);
}

/** The real paths. Missing files are left out: the sidecar reports them to a run that names them. */
function realPaths(paths: readonly string[], { noLinks = false } = {}): string[] {
  return paths.flatMap((path) => {
    try {
      return [noLinks ? join(realpathSync.native(dirname(path)), basename(path)) : realpathSync.native(path)];
    } catch {
      return [];
    }
  });
}

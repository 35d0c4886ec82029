import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  createSandbox,
  isInside,
  maxRoots,
  SandboxError,
  type Diagnostic,
  type RunOptions,
  type RunResult,
  type Sandbox,
  type SandboxStats,
} from '@mustard-sandbox/client';
import { emit } from '../events.ts';
import type { ToolOptions } from './options.ts';

type OwnSandboxOptions = Pick<ToolOptions, 'appPath' | 'media' | 'isolation' | 'engine' | 'events'>;

/** A client may send many calls at once, and has nothing to do but to wait for them: so most are bounded by time. */
const queue = { maxQueue: 1_000, queueTimeoutMs: 5 * 60_000 };

/** One sandbox with its roots. It is used as long as these roots are enough. */
interface RootedSandbox {
  sandbox: Sandbox;
  roots: readonly string[];
  runs: number;
}

/**
 * The sandbox of a tool that was given none. It has `roots`, so it is in a jail if the machine has one.
 *
 * Roots are fixed at creation and must exist, and attachments may come from anywhere at any time. So it is made with
 * the roots that the first run needs, and replaced when a run needs more. The old one ends with the last of its runs.
 * With an `AttachmentStore` that happens at most once, when its folder is made.
 */
export class OwnSandbox {
  readonly #isolation: OwnSandboxOptions['isolation'];
  readonly #engine: OwnSandboxOptions['engine'];
  readonly #events: OwnSandboxOptions['events'];
  readonly #appPath: string | undefined;
  readonly #media: OwnSandboxOptions['media'];
  readonly #sandboxes = new Set<RootedSandbox>();
  #current: RootedSandbox | undefined;
  #closed = false;

  constructor({ isolation, engine, appPath, media, events }: OwnSandboxOptions) {
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

  /** @throws {SandboxError} as `Sandbox.run`, and `invalid_request` for an isolation that is not possible here */
  async run(options: RunOptions): Promise<RunResult> {
    return await this.#use(options.scope, (sandbox) => sandbox.run(options));
  }

  /** Validates in the sandbox that will run the script. @throws {SandboxError} as `Sandbox.validate` */
  async validate(script: string, scope: RunOptions['scope']): Promise<Diagnostic[]> {
    return await this.#use(scope, (sandbox) => sandbox.validate(script));
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
    const sandbox = createSandbox({ roots, isolation: this.#isolation, engine: this.#engine, ...queue });
    const rooted = { sandbox, roots, runs: 0 };
    const events = this.#events;
    // Without a listener the process warns.
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
    return [...app, ...media.filter((folder) => !isInside(folder, app))];
  }

  async #leave(rooted: RootedSandbox): Promise<void> {
    if (rooted === this.#current || rooted.runs > 0) return;
    await rooted.sandbox.close();
    this.#sandboxes.delete(rooted);
  }
}

/**
 * @param earlier roots of earlier runs, kept while there is room: otherwise a host whose chats list different files would
 *   replace its sandbox at every turn
 * @throws {SandboxError} `invalid_request` for more files than a jail can hold one by one: their folders would open more
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

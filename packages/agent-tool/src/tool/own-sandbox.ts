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

type OwnSandboxOptions = Pick<ToolOptions, 'appPath' | 'media' | 'isolation' | 'events'>;

/** One sandbox, for as long as its roots do. */
interface Place {
  sandbox: Sandbox;
  roots: readonly string[];
  runs: number;
}

/**
 * The sandbox of a tool that was given none: with `roots`, so that it is in a jail wherever there is one.
 *
 * Roots are fixed at creation and must exist, and attachments may come from anywhere at any time. So it is made with
 * what the first run needs, and made anew when a run needs more; the old one ends with the last of its runs. For files
 * of an `AttachmentStore` that happens once at most, when its folder is made.
 */
export class OwnSandbox {
  readonly #isolation: OwnSandboxOptions['isolation'];
  readonly #events: OwnSandboxOptions['events'];
  readonly #appPath: string | undefined;
  readonly #media: OwnSandboxOptions['media'];
  readonly #places = new Set<Place>();
  #current: Place | undefined;
  #closed = false;

  constructor({ isolation, appPath, media, events }: OwnSandboxOptions) {
    this.#isolation = isolation;
    this.#events = events;
    this.#appPath = appPath;
    this.#media = media;
  }

  /** Of the present one; `undefined` before the first run. */
  stats(): SandboxStats | undefined {
    return this.#current?.sandbox.stats();
  }

  /** @throws {SandboxError} as `Sandbox.run`, and `invalid_request` for an isolation that cannot be */
  async run(options: RunOptions): Promise<RunResult> {
    return await this.#use(options.scope, (sandbox) => sandbox.run(options));
  }

  /** In the sandbox that the run will be in. @throws {SandboxError} as `Sandbox.validate` */
  async validate(script: string, scope: RunOptions['scope']): Promise<Diagnostic[]> {
    return await this.#use(scope, (sandbox) => sandbox.validate(script));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#places].map(({ sandbox }) => sandbox.close()));
  }

  async #use<T>(scope: RunOptions['scope'], work: (sandbox: Sandbox) => Promise<T>): Promise<T> {
    const place = this.#placeFor(scope);
    place.runs++;
    try {
      return await work(place.sandbox);
    } finally {
      place.runs--;
      void this.#leave(place);
    }
  }

  #placeFor(scope: RunOptions['scope']): Place {
    if (this.#closed) throw new SandboxError('closed', 'The tool was closed.');
    const files = scope?.attachments ?? [];
    const chosen = [scope?.root, ...files.filter(({ noLinks }) => noLinks !== true).map(({ path }) => path)];
    const own = files.filter(({ noLinks }) => noLinks === true).map(({ path }) => path);
    const needed = [...realPaths(chosen.filter((path) => path !== undefined)), ...realPaths(own, { noLinks: true })];
    const old = this.#current;
    if (old !== undefined && needed.every((path) => isInside(path, old.roots))) return old;
    const roots = chooseRoots(this.#folders(), needed, realPaths(old?.roots ?? []));
    const place = { sandbox: createSandbox({ roots, isolation: this.#isolation }), roots, runs: 0 };
    const events = this.#events;
    // Without a listener the process warns.
    if (events !== undefined) {
      place.sandbox.on('isolation_degraded', (facts) => {
        emit(events, { type: 'sandbox.isolation.degraded', ...facts });
      });
    }
    this.#places.add(place);
    this.#current = place;
    if (old !== undefined) void this.#leave(old);
    return place;
  }

  /** What scripts can always read, as far as it is there. Where a media folder is a link it opens nothing. */
  #folders(): string[] {
    const app = realPaths(this.#appPath === undefined ? [] : [this.#appPath]);
    const media = this.#media.folders.flatMap((folder) => folder.realPathSync() ?? []);
    return [...app, ...media.filter((folder) => !isInside(folder, app))];
  }

  async #leave(place: Place): Promise<void> {
    if (place === this.#current || place.runs > 0) return;
    await place.sandbox.close();
    this.#places.delete(place);
  }
}

/**
 * @param earlier kept while there is room: a host that lists other files in each chat would else change at each turn
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

/** Without links, and without what is not there: a run that names it is told so by the sidecar. */
function realPaths(paths: readonly string[], { noLinks = false } = {}): string[] {
  return paths.flatMap((path) => {
    try {
      return [noLinks ? join(realpathSync.native(dirname(path)), basename(path)) : realpathSync.native(path)];
    } catch {
      return [];
    }
  });
}

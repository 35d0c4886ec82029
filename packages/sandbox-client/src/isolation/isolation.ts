import { resolveRoots } from '@mustard-sandbox/paths';
import { SandboxError } from '@mustard-sandbox/protocol';
import type { Events } from '../events.ts';
import type { Exit } from '../exit-cause.ts';
import type { ResolvedOptions } from '../options.ts';
import type { SandboxStats } from '../types.ts';
import { findBubblewrap } from './find-bubblewrap.ts';
import { findSeatbelt } from './find-seatbelt.ts';
import type { Jail, NoJail } from './jail.ts';
import { identityOf, isFileSystem } from './roots.ts';

/** Why this machine could make no jail, whatever the roots, and when to try again. */
let refusedHere: { reason: string; until: number } | undefined;
/** Whether this process has warned that there is no jail. It warns only once. */
let warned = false;

/** The longest time between two attempts to find a jail. */
const maxRetryMs = 60 * 60_000;

/**
 * Decides how the sidecars of one sandbox are confined. It does nothing before the first sidecar. Starting that sidecar
 * in a jail shows whether the jail works, and needs no further process.
 */
export class Isolation {
  /** Absolute and free of links; `undefined` if none were given. */
  readonly roots: readonly string[] | undefined;
  readonly #requested: ResolvedOptions['isolation'];
  readonly #cooldownMs: number;
  readonly #events: Events;
  readonly #now: () => number;
  #jail: Jail | undefined;
  /** Why there is no jail. */
  #reason: string | undefined;
  /** When to try again, because a shortage of descriptors may pass, and bubblewrap may be installed meanwhile. */
  #retryAt = 0;
  /** How many attempts in a row found no jail. */
  #failures = 0;
  /** Whether a sidecar became ready in the jail. After that, no sidecar starts without one. */
  #proven = false;

  /** @throws {SandboxError} `invalid_request` for roots that are missing, or a jail that no machine could make */
  constructor({ isolation, roots, command, cooldownMs }: ResolvedOptions, events: Events, now: () => number) {
    this.#requested = isolation;
    this.#cooldownMs = cooldownMs;
    this.#events = events;
    this.#now = now;
    this.roots = roots && resolveRoots(roots);
    this.#reason = isolation === 'process' ? undefined : whyNever(isolation, this.roots, command !== undefined);
    if (isolation === 'process' || this.#reason !== undefined) this.#retryAt = Infinity;
    if (isolation !== 'jail' || this.#reason === undefined) return;
    throw new SandboxError('invalid_request', `createSandbox(): isolation: 'jail' is not possible: ${this.#reason}`);
  }

  status(): SandboxStats['isolation'] {
    const isDecided = this.#reason !== undefined || this.#requested === 'process';
    const active = this.#jail !== undefined ? 'jail' : isDecided ? 'process' : undefined;
    return {
      requested: this.#requested,
      active: this.#requested === 'jail' && active === 'process' ? undefined : active,
      ...(this.#jail !== undefined && { by: this.#jail.by }),
      ...(this.#reason !== undefined && { reason: this.#reason }),
      ...(this.#requested === 'auto' && active === 'process' && this.#failures > 0 && { degraded: true as const }),
    };
  }

  /**
   * The jail for the next sidecar; `undefined` for none.
   *
   * @throws {SandboxError} `sidecar_unavailable` if a jail is required and not possible
   */
  async jail(): Promise<Jail | undefined> {
    if (!this.#isDecided) await this.#find();
    // Each of several callers at once checks this, because a jail that is missing must not count as one that is not
    // required.
    if (this.#jail === undefined && this.#requested === 'jail') throw unavailable(this.#reason ?? 'it was not found.');
    return this.#jail;
  }

  /** Identifies the files in `jail`. It changes when a root is replaced by another file or folder of the same name. */
  identity(jail: Jail | undefined): string | undefined {
    return jail === undefined || this.roots === undefined ? undefined : identityOf(this.roots);
  }

  /**
   * Whether a sidecar that was started without a jail could be in one now. It makes the next attempt if that is due.
   */
  couldBeJailed(): boolean {
    if (!this.#isDecided) this.#find().catch(() => {});
    return this.#jail !== undefined;
  }

  /** Call this when a sidecar became ready in `jail`. */
  proven(jail: Jail | undefined): void {
    if (jail === undefined) return;
    this.#proven = true;
    this.#failures = 0;
    refusedHere = undefined;
  }

  /**
   * Call this when a sidecar in `jail` ended before it was ready. Returns whether the jail was the cause. If so, the
   * next one starts without a jail, or fails for good if a jail is required. A sidecar that was killed does not count.
   * Once the jail has worked, no failure counts, because no script may end the isolation of later ones.
   */
  refused(jail: Jail, exit: Exit): boolean {
    if (this.#proven || exit.exitCode === undefined) return false;
    // Several sidecars may have been started before the first of them failed.
    if (jail !== this.#jail) return true;
    const lines = exit.stderr.split('\n');
    const words = lines.find((line) => line.startsWith('bwrap: ')) ?? lines.at(-1);
    this.#degrade(`${jail.by} could not start a sidecar: ${words || `exit code ${exit.exitCode}`}.`);
    // An error about one of the roots says nothing about other sandboxes.
    if (!this.roots?.some((root) => exit.stderr.includes(root))) this.#tellOthers();
    return true;
  }

  get #isDecided(): boolean {
    return this.#jail !== undefined || this.#now() < this.#retryAt;
  }

  async #find(): Promise<void> {
    const refused = refusedHere !== undefined && this.#now() < refusedHere.until ? refusedHere : undefined;
    const found = refused ?? (await findJail(this.roots ?? []));
    // Several sidecars may start at once. They share the result of the first one.
    if (this.#isDecided) return;
    if ('reason' in found) return this.#degrade(found.reason);
    this.#jail = found;
    this.#reason = undefined;
  }

  /** Records that there is no jail for now. With `auto`, an event reports it, because the caller hoped for a jail. */
  #degrade(reason: string): void {
    const isNews = reason !== this.#reason;
    this.#jail = undefined;
    this.#reason = reason;
    const retryMs = Math.min(this.#cooldownMs * 2 ** this.#failures++, Math.max(maxRetryMs, this.#cooldownMs));
    this.#retryAt = this.#now() + retryMs;
    if (this.#requested !== 'auto' || !isNews) return;
    if (this.#events.emit('isolation_degraded', { reason, retryMs }) || warned) return;
    warned = true;
    process.emitWarning(`Scripts run without a jail: ${reason}`, 'MustardSandboxWarning');
  }

  /** Shares the result of a failed start. Until the next attempt, no other sandbox repeats it. */
  #tellOthers(): void {
    refusedHere = { reason: this.#reason as string, until: this.#retryAt };
  }
}

async function findJail(roots: readonly string[]): Promise<Jail | NoJail> {
  return process.platform === 'darwin' ? findSeatbelt(roots) : await findBubblewrap(roots);
}

/** The reasons against a jail that do not depend on the machine. */
function whyNever(
  isolation: 'jail' | 'auto',
  roots: readonly string[] | undefined,
  hasCommand: boolean,
): string | undefined {
  if (hasCommand) return 'a `command` of the caller is started as it is.';
  if (process.platform !== 'linux' && process.platform !== 'darwin') {
    return `there is no jail for ${process.platform}, only for Linux and macOS.`;
  }
  if (process.platform === 'darwin' && isolation === 'auto') {
    return "the profile for macOS has not been tried yet; isolation: 'jail' uses it.";
  }
  if (roots === undefined) return 'no `roots` were given, the folders and files that scripts may read.';
  if (roots.some(isFileSystem)) return '`roots` holds a whole file system, so a jail would hide nothing.';
  return undefined;
}

function unavailable(reason: string): SandboxError {
  return new SandboxError(
    'sidecar_unavailable',
    `No sidecar is started, because isolation: 'jail' is not possible here: ${reason} ` +
      "With isolation: 'auto' scripts would run in a process without a jail.",
  );
}

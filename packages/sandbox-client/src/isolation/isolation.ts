import { SandboxError } from '@mustard-sandbox/daemon/protocol';
import type { Events } from '../events.ts';
import type { Exit } from '../exit-cause.ts';
import type { ResolvedOptions } from '../options.ts';
import type { SandboxStats } from '../types.ts';
import { findBubblewrap } from './find-bubblewrap.ts';
import { findSeatbelt } from './find-seatbelt.ts';
import type { Jail, NoJail } from './jail.ts';
import { identityOf, isFileSystem, resolveRoots } from './roots.ts';

/** Why a jail could not be made on this machine, for whatever roots, and when that is worth another look. */
let refusedHere: { reason: string; until: number } | undefined;
/** A process warns of that once. */
let warned = false;

/** The longest time between two looks for a jail that is not there. */
const maxRetryMs = 60 * 60_000;

/**
 * Decides how the sidecars of one sandbox are confined. Nothing is looked for before the first of them; whether a jail
 * works is learnt by starting that one in it, which costs no further process.
 */
export class Isolation {
  /** Link-free and absolute; `undefined` where none were given. */
  readonly roots: readonly string[] | undefined;
  readonly #requested: ResolvedOptions['isolation'];
  readonly #cooldownMs: number;
  readonly #events: Events;
  readonly #now: () => number;
  #jail: Jail | undefined;
  /** Why there is no jail. */
  #reason: string | undefined;
  /** When to look again: a shortage of descriptors passes, and bubblewrap may be installed meanwhile. */
  #retryAt = 0;
  /** How often in a row it was not to be had. */
  #failures = 0;
  /** A sidecar got ready in the jail: from then on there is no way back to none. */
  #proven = false;

  /** @throws {SandboxError} `invalid_request` for roots that are not there, or a jail that cannot be whatever the machine has */
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
   * What the next sidecar is started in; `undefined`: nothing.
   *
   * @throws {SandboxError} `sidecar_unavailable` where a jail is wanted and cannot be
   */
  async jail(): Promise<Jail | undefined> {
    if (!this.#isDecided) await this.#find();
    // Also where several asked at once: none of them may take "not there" for "not wanted".
    if (this.#jail === undefined && this.#requested === 'jail') throw unavailable(this.#reason ?? 'it was not found.');
    return this.#jail;
  }

  /** Which files `jail` holds: something else once a root was replaced by another file or folder of its name. */
  identity(jail: Jail | undefined): string | undefined {
    return jail === undefined || this.roots === undefined ? undefined : identityOf(this.roots);
  }

  /** Whether a sidecar that was started without a jail could be in one now. Looks for it where that is due. */
  couldBeJailed(): boolean {
    if (!this.#isDecided) this.#find().catch(() => {});
    return this.#jail !== undefined;
  }

  /** A sidecar got ready in `jail`. */
  proven(jail: Jail | undefined): void {
    if (jail === undefined) return;
    this.#proven = true;
    this.#failures = 0;
    refusedHere = undefined;
  }

  /**
   * A sidecar in `jail` ended before it was ready. Says whether that was the jail's doing: then the next one goes
   * without, or fails for good where one was asked for. Not when it was killed, and never after the jail has worked:
   * nothing that a script does may end the isolation of those after it.
   */
  refused(jail: Jail, exit: Exit): boolean {
    if (this.#proven || exit.exitCode === undefined) return false;
    // Several may have been started before the first of them failed.
    if (jail !== this.#jail) return true;
    const lines = exit.stderr.split('\n');
    const words = lines.find((line) => line.startsWith('bwrap: ')) ?? lines.at(-1);
    this.#degrade(`${jail.by} could not start a sidecar: ${words || `exit code ${exit.exitCode}`}.`);
    // Words about one of the roots say nothing about the next sandbox.
    if (!this.roots?.some((root) => exit.stderr.includes(root))) this.#tellOthers();
    return true;
  }

  get #isDecided(): boolean {
    return this.#jail !== undefined || this.#now() < this.#retryAt;
  }

  async #find(): Promise<void> {
    const refused = refusedHere !== undefined && this.#now() < refusedHere.until ? refusedHere : undefined;
    const found = refused ?? (await findJail(this.roots ?? []));
    // Several sidecars may start at once: they share what the first one found.
    if (this.#isDecided) return;
    if ('reason' in found) return this.#degrade(found.reason);
    this.#jail = found;
    this.#reason = undefined;
  }

  /** No jail for now. With `auto` that is less than what could be, so it is said. */
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

  /** What this sandbox found out by a start that failed, no other one need find out until then. */
  #tellOthers(): void {
    refusedHere = { reason: this.#reason as string, until: this.#retryAt };
  }
}

async function findJail(roots: readonly string[]): Promise<Jail | NoJail> {
  return process.platform === 'darwin' ? findSeatbelt(roots) : await findBubblewrap(roots);
}

/** What rules a jail out without a look at the machine. */
function whyNever(
  isolation: 'jail' | 'auto',
  roots: readonly string[] | undefined,
  hasCommand: boolean,
): string | undefined {
  if (hasCommand) return 'a `command` of the caller is started as it is.';
  if (process.platform !== 'linux' && process.platform !== 'darwin') {
    return `there is none for ${process.platform}, only for Linux and macOS.`;
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
      "With isolation: 'auto' scripts would run in a process without it.",
  );
}

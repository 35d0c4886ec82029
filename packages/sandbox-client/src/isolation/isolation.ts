import { SandboxError } from '@mustard-sandbox/daemon/protocol';
import type { Exit } from '../exit-cause.ts';
import type { ResolvedOptions } from '../options.ts';
import type { SandboxStats } from '../types.ts';
import { findBubblewrap } from './find-bubblewrap.ts';
import { findSeatbelt } from './find-seatbelt.ts';
import type { Jail, NoJail } from './jail.ts';
import { identityOf, isFileSystem, resolveRoots } from './roots.ts';

/** Why a jail could not be made on this machine, for whatever roots: known once it was tried. */
let refusedHere: string | undefined;

/**
 * Decides how the sidecars of one sandbox are confined. Nothing is looked for before the first of them; whether a jail
 * works is learnt by starting that one in it, which costs no further process.
 */
export class Isolation {
  /** Link-free and absolute; `undefined` where none were given. */
  readonly roots: readonly string[] | undefined;
  readonly #requested: ResolvedOptions['isolation'];
  #jail: Jail | undefined;
  /** Why there is no jail. */
  #reason: string | undefined;
  /** A sidecar got ready in the jail: from then on there is no way back to none. */
  #proven = false;

  /** @throws {SandboxError} `invalid_request` for roots that are not there, or a jail that cannot be whatever the machine has */
  constructor({ isolation, roots, command }: ResolvedOptions) {
    this.#requested = isolation;
    this.roots = roots && resolveRoots(roots);
    this.#reason = isolation === 'process' ? undefined : whyNever(isolation, this.roots, command !== undefined);
    if (isolation !== 'jail' || this.#reason === undefined) return;
    throw new SandboxError('invalid_request', `createSandbox(): isolation: 'jail' is not possible: ${this.#reason}`);
  }

  status(): SandboxStats['isolation'] {
    const active = this.#jail !== undefined ? 'jail' : this.#isDecided ? 'process' : undefined;
    return {
      requested: this.#requested,
      active: this.#requested === 'jail' && active === 'process' ? undefined : active,
      ...(this.#jail !== undefined && { by: this.#jail.by }),
      ...(this.#reason !== undefined && { reason: this.#reason }),
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

  /** A sidecar got ready in `jail`. */
  proven(jail: Jail | undefined): void {
    if (jail !== undefined) this.#proven = true;
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
    this.#jail = undefined;
    this.#reason = `${jail.by} could not start a sidecar: ${words || `exit code ${exit.exitCode}`}.`;
    // Words about one of the roots say nothing about the next sandbox.
    if (!this.roots?.some((root) => exit.stderr.includes(root))) refusedHere = this.#reason;
    return true;
  }

  get #isDecided(): boolean {
    return this.#requested === 'process' || this.#reason !== undefined || this.#jail !== undefined;
  }

  async #find(): Promise<void> {
    const found = refusedHere === undefined ? await findJail(this.roots ?? []) : { reason: refusedHere };
    // Several sidecars may start at once: they share what the first one found.
    if (this.#isDecided) return;
    if ('reason' in found) this.#reason = found.reason;
    else this.#jail = found;
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

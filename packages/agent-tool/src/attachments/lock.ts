import { lstat, mkdir, open, readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AttachmentError, orAborted, systemCode, throwIfAborted, writingError } from './errors.ts';
import { discard } from './folder.ts';
import { isThisHost, ownerOf, ownerPattern, ownerTag, stateOf, type Owner } from './owner.ts';

/**
 * One at a time in a folder, over all processes, whatever becomes of them.
 *
 * Everyone who wants in puts down a file of his own in `.lock/`, a claim, looks who else has one, and is in when
 * nobody has; he takes it away when he is done. Of two that come together at least the later one sees the other. The
 * claim that came first stays and waits, the others withdraw theirs until it is gone.
 *
 * A dead process's claim may be removed by anyone at any time, since no other claim will ever have its name. That
 * is what a single lock file lacks: two that find its holder dead remove one after the other, the second one the
 * lock that the first has just taken.
 */
export interface LockOptions {
  /** How long to wait for other processes, in ms. */
  waitMs: number;
  signal?: AbortSignal | undefined;
  /**
   * Whether a process on another computer lives cannot be told. Its claim counts as left behind when it was not
   * renewed for so long, in ms, while we watched it; no two clocks are compared for that.
   */
  unknownMs?: number;
}

const defaultUnknownMs = 15_000;
const renewMs = 2_000;
const longestPauseMs = 50;

const claimName = new RegExp(`^[0-9a-z]{9}\\.${ownerPattern}$`);

/** Ends of the queues of this process, by folder: among its own calls there is nothing to poll for. */
const queues = new Map<string, Promise<void>>();

/**
 * Runs `use` while nobody else is in a `withLock` of the same folder.
 *
 * @throws {AttachmentError} `locked` when others hold it for longer than `waitMs`, `disk_full`, `unwritable`
 * @throws {SandboxError} `cancelled` when the signal is aborted before `use` begins; then it does not
 */
export async function withLock<T>(folder: string, options: LockOptions, use: () => Promise<T>): Promise<T> {
  let finish!: () => void;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const before = queues.get(folder) ?? Promise.resolve();
  const end = before.then(() => finished);
  queues.set(folder, end);
  void end.then(() => queues.get(folder) === end && queues.delete(folder));
  try {
    await orAborted(before, options.signal);
    const claim = new Claim(join(folder, '.lock'), options.unknownMs ?? defaultUnknownMs);
    try {
      await claim.win(options);
      return await use();
    } finally {
      await claim.withdraw();
    }
  } finally {
    finish();
  }
}

class Claim {
  readonly #folder: string;
  /** Begins with the time, so that who came first sorts first. Clocks that differ make it less fair, no less safe. */
  readonly #name = `${Date.now().toString(36).padStart(9, '0')}.${ownerTag()}`;
  readonly #unknownMs: number;
  /** Claims of processes that cannot be looked at: when each was renewed, and since when we know. */
  readonly #watched = new Map<string, { renewed: number; since: number }>();
  #renewal: NodeJS.Timeout | undefined;

  constructor(folder: string, unknownMs: number) {
    this.#folder = folder;
    this.#unknownMs = unknownMs;
  }

  get #path(): string {
    return join(this.#folder, this.#name);
  }

  async win({ waitMs, signal }: LockOptions): Promise<void> {
    const deadline = performance.now() + waitMs;
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      throwIfAborted(signal);
      const others = await this.#others();
      const first = others.sort()[0];
      if (first === undefined && this.#renewal !== undefined) return;
      if (first === undefined || this.#name < first) {
        if (this.#renewal === undefined) {
          await this.#put();
          continue;
        }
      } else {
        await this.withdraw();
      }
      if (performance.now() > deadline) throw locked(first as string, waitMs);
      // At random, so that several that wait do not keep meeting.
      await orAborted(delay(pauseMs * (0.5 + Math.random())), signal);
    }
  }

  async withdraw(): Promise<void> {
    if (this.#renewal === undefined) return;
    clearInterval(this.#renewal);
    this.#renewal = undefined;
    await discard(this.#path);
  }

  async #put(): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await this.#assertFolder();
      await (await open(this.#path, 'wx', 0o600)).close();
    } catch (error) {
      throw writingError(error, this.#folder);
    }
    this.#renewal = setInterval(() => {
      const now = new Date();
      utimes(this.#path, now, now).catch(() => {});
    }, renewMs).unref();
  }

  /** Names of the claims of others that live or may live; those left behind are removed. */
  async #others(): Promise<string[]> {
    const living: string[] = [];
    for (const name of await this.#list()) {
      const match = claimName.exec(name);
      if (match === null || name === this.#name) continue;
      if (await this.#isLeftBehind(name, ownerOf(match.slice(1)))) await discard(join(this.#folder, name));
      else living.push(name);
    }
    return living;
  }

  /** A link by this name leads to files of others, where claims would be made and removed. */
  async #assertFolder(): Promise<void> {
    if ((await lstat(this.#folder)).isDirectory()) return;
    throw new AttachmentError('not_a_file', `${this.#folder} is not a folder: remove it.`, {
      details: { path: this.#folder },
    });
  }

  async #list(): Promise<string[]> {
    try {
      await this.#assertFolder();
      return await readdir(this.#folder);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw writingError(error, this.#folder);
    }
  }

  async #isLeftBehind(name: string, owner: Owner): Promise<boolean> {
    const state = stateOf(owner);
    if (state !== 'unknown') return state === 'dead';
    const renewed = await stat(join(this.#folder, name)).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
    if (renewed === undefined) return true;
    const now = performance.now();
    const watched = this.#watched.get(name);
    if (watched?.renewed === renewed) return now - watched.since > this.#unknownMs;
    this.#watched.set(name, { renewed, since: now });
    return false;
  }
}

function locked(claim: string, waitMs: number): AttachmentError {
  const owner = ownerOf((claimName.exec(claim) ?? []).slice(1));
  const who = `process ${owner.pid}${isThisHost(owner) ? '' : ' on another computer'}`;
  const since = new Date(Number.parseInt(claim.slice(0, 9), 36)).toISOString();
  return new AttachmentError(
    'locked',
    `The attachments are in use by ${who}, for longer than the ${waitMs} ms to wait. Try again, or end that process if it hangs.`,
    { details: { pid: owner.pid, since, waitMs } },
  );
}

import { lstat, mkdir, open, readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AttachmentError, orAborted, systemCode, throwIfAborted, writingError } from './errors.ts';
import { discard } from './folder.ts';
import { isThisHost, ownerOf, ownerPattern, ownerTag, stateOf, type Owner } from './owner.ts';

/**
 * A lock for a folder, across all processes, that survives the death of any of them.
 *
 * A process that wants the lock puts a file of its own, a claim, into `.lock/` and looks for the claims of others. If
 * there are none, it has the lock. It removes its claim when it is done. Of two processes that come together, at least
 * the later one sees the other. The earlier claim stays and waits, and later ones are withdrawn until it is gone.
 *
 * A process that must wait also puts down a ticket, and makes a claim only when no earlier ticket waits. Without
 * tickets, 21 of 100 processes that came at once had not got the lock after 10 s, while later ones had. Tickets only
 * make the lock fair and not safe, so a process that does nothing is passed over.
 *
 * Anyone may remove the claim of a dead process at any time, because no other claim will ever have its name. A single
 * lock file cannot offer that: when two processes find its holder dead, the second one removes the lock that the first
 * has just taken.
 */
export interface LockOptions {
  /** How long to wait for any one other process, in ms. A process behind many quick ones still gets its turn. */
  waitMs: number;
  signal?: AbortSignal | undefined;
  /**
   * For a process on another computer nobody can tell whether it lives. Its claim counts as left behind when it was not
   * renewed for this long, in ms, while we watched it. So no clocks of two computers are compared.
   */
  unknownMs?: number;
}

const defaultUnknownMs = 15_000;
const renewMs = 2_000;
const longestPauseMs = 50;
/**
 * How long nobody may have the lock before earlier waiters are passed over, in ms. They are stopped, or are slow to
 * start.
 */
const patienceMs = 1_000;

const ticketEnding = '.waits';
const claimName = new RegExp(`^[0-9a-z]{9}\\.${ownerPattern}$`);
const ticketName = new RegExp(`^[0-9a-z]{9}\\.${ownerPattern}\\${ticketEnding}$`);

/** The ends of the queues of this process, by folder. Calls of one process wait for each other without polling. */
const queues = new Map<string, Promise<void>>();

/**
 * Runs `use` while nobody else is in a `withLock` of the same folder.
 *
 * @throws {AttachmentError} `locked` when another process holds the lock for longer than `waitMs`, `disk_full`,
 * `unwritable`
 * @throws {SandboxError} `cancelled` when the signal is aborted before `use` begins; `use` then does not run
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
  /**
   * Begins with the time, so that earlier claims sort first. Clocks that differ make the lock less fair, but not less
   * safe.
   */
  readonly #name = `${Date.now().toString(36).padStart(9, '0')}.${ownerTag()}`;
  readonly #ticket = `${this.#name}${ticketEnding}`;
  readonly #unknownMs: number;
  /** Claims of processes that cannot be checked: when each was renewed, and since when we know that. */
  readonly #watched = new Map<string, { renewed: number; since: number }>();
  /** Our files in the folder, each with the timer that renews it. */
  readonly #put = new Map<string, NodeJS.Timeout>();

  constructor(folder: string, unknownMs: number) {
    this.#folder = folder;
    this.#unknownMs = unknownMs;
  }

  async win({ waitMs, signal }: LockOptions): Promise<void> {
    const wait = new Wait(waitMs);
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      throwIfAborted(signal);
      const { holder, before } = await this.#others();
      const isHere = this.#put.has(this.#name);
      if (holder === undefined && isHere) return;
      const isFreeForLong = wait.isFreeForLong(holder === undefined);
      const isNext = before === undefined || isFreeForLong;
      if (isNext && (holder === undefined || this.#name < holder)) {
        if (!isHere) {
          await this.#putDown(this.#name);
          continue;
        }
      } else {
        await this.#takeAway(this.#name);
        if (!this.#put.has(this.#ticket)) await this.#putDown(this.#ticket);
      }
      if (holder !== undefined && wait.isOverFor(holder)) throw locked(holder, waitMs);
      // The pause is random, so that waiters do not keep meeting.
      await orAborted(delay(pauseMs * (0.5 + Math.random())), signal);
    }
  }

  async withdraw(): Promise<void> {
    // The ticket goes first, because others must not wait for a ticket whose owner is done.
    await this.#takeAway(this.#ticket);
    await this.#takeAway(this.#name);
  }

  async #takeAway(name: string): Promise<void> {
    if (!this.#put.has(name)) return;
    clearInterval(this.#put.get(name));
    this.#put.delete(name);
    await discard(join(this.#folder, name));
  }

  async #putDown(name: string): Promise<void> {
    const path = join(this.#folder, name);
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await this.#assertFolder();
      await (await open(path, 'wx', 0o600)).close();
    } catch (error) {
      throw writingError(error, this.#folder);
    }
    const renew = (): void => {
      const now = new Date();
      utimes(path, now, now).catch(() => {});
    };
    this.#put.set(name, setInterval(renew, renewMs).unref());
  }

  /** The first claim of another process, and the first earlier ticket, of processes that live or may live. */
  async #others(): Promise<{ holder: string | undefined; before: string | undefined }> {
    const names = (await this.#list()).sort();
    const claims = names.filter((name) => claimName.test(name) && name !== this.#name);
    const tickets = names.filter((name) => ticketName.test(name) && name < this.#name);
    return { holder: await this.#firstLiving(claims), before: await this.#firstLiving(tickets) };
  }

  /** Removes files before it that were left behind. Many may wait, and each process is looked up. */
  async #firstLiving(names: readonly string[]): Promise<string | undefined> {
    for (const name of names) {
      if (!(await this.#isLeftBehind(name))) return name;
      await discard(join(this.#folder, name));
    }
    return undefined;
  }

  /** Refuses a link by this name. It would lead to files of others, where claims would be made and removed. */
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

  async #isLeftBehind(name: string): Promise<boolean> {
    const state = stateOf(ownerIn(name));
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

/** How long a process has waited, and for whom. */
class Wait {
  readonly #waitMs: number;
  #holder: string | undefined;
  #holderSince = 0;
  #freeSince: number | undefined;

  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** Whether the holder has had the lock for longer than we wait. */
  isOverFor(holder: string): boolean {
    const now = performance.now();
    if (holder !== this.#holder) [this.#holder, this.#holderSince] = [holder, now];
    return now - this.#holderSince > this.#waitMs;
  }

  /** Whether nobody has had the lock for so long that earlier waiters can be passed over. */
  isFreeForLong(isFreeNow: boolean): boolean {
    const now = performance.now();
    this.#freeSince = isFreeNow ? (this.#freeSince ?? now) : undefined;
    return this.#freeSince !== undefined && now - this.#freeSince > patienceMs;
  }
}

function ownerIn(name: string): Owner {
  return ownerOf((claimName.exec(name) ?? ticketName.exec(name) ?? []).slice(1));
}

function locked(claim: string, waitMs: number): AttachmentError {
  const owner = ownerIn(claim);
  const who = `process ${owner.pid}${isThisHost(owner) ? '' : ' on another computer'}`;
  const since = new Date(Number.parseInt(claim.slice(0, 9), 36)).toISOString();
  return new AttachmentError(
    'locked',
    `The attachments are in use by ${who}, for longer than the ${waitMs} ms to wait. Try again, or end that process if it hangs.`,
    { details: { pid: owner.pid, since, waitMs } },
  );
}

import { createHash } from 'node:crypto';
import { SandboxError } from '@mustard-sandbox/protocol';

interface Crash {
  at: number;
  /**
   * Whether the crash happened in a fresh and healthy process. If so, this script is the cause and not an earlier run.
   */
  proven: boolean;
}

/**
 * Remembers scripts that took their sidecar down, and refuses a script that did so too often. A crash in a process that
 * other scripts had used counts only after the script has crashed a fresh process too. Until then the script is
 * suspect.
 */
export class Quarantine {
  readonly #after: number;
  readonly #windowMs: number;
  readonly #now: () => number;
  readonly #crashes = new Map<string, Crash[]>();

  constructor(after: number, windowMs: number, now: () => number) {
    this.#after = after;
    this.#windowMs = windowMs;
    this.#now = now;
  }

  /** How many scripts would be refused now. */
  get size(): number {
    this.#forget();
    return [...this.#crashes.values()].filter((crashes) => this.#refuses(crashes)).length;
  }

  /**
   * @returns whether the script took a sidecar down. If so, its next run must be in a fresh process
   * @throws {SandboxError} `quarantined`
   */
  check(script: string): { suspect: boolean } {
    // Hashing a script costs more than a small run. Without a crash there is nothing to find.
    if (this.#crashes.size === 0) return { suspect: false };
    this.#forget();
    const scriptHash = hash(script);
    const crashes = this.#crashes.get(scriptHash) ?? [];
    if (!this.#refuses(crashes)) return { suspect: crashes.length > 0 };
    const minutes = Math.ceil(this.#windowMs / 60_000);
    throw new SandboxError(
      'quarantined',
      `This script took its sidecar down ${crashes.length} times and is refused for up to ${minutes} min. Change the script.`,
      { details: { scriptHash, crashes: crashes.length } },
    );
  }

  /** @returns the script's hash and its crashes within the window */
  record(script: string, proven: boolean): { scriptHash: string; crashes: number; quarantined: boolean } {
    const scriptHash = hash(script);
    const crashes = [...(this.#crashes.get(scriptHash) ?? []), { at: this.#now(), proven }];
    this.#crashes.set(scriptHash, crashes);
    this.#forget();
    return { scriptHash, crashes: crashes.length, quarantined: this.#refuses(crashes) };
  }

  /** Call this when the script ended well in a fresh process. Its unproven crashes then no longer count. */
  acquit(script: string): void {
    const scriptHash = hash(script);
    if (this.#crashes.get(scriptHash)?.every(({ proven }) => !proven)) this.#crashes.delete(scriptHash);
  }

  #refuses(crashes: Crash[]): boolean {
    return crashes.length >= this.#after && crashes.some(({ proven }) => proven);
  }

  #forget(): void {
    const oldest = this.#now() - this.#windowMs;
    for (const [scriptHash, crashes] of this.#crashes) {
      const kept = crashes.filter(({ at }) => at > oldest);
      if (kept.length === 0) this.#crashes.delete(scriptHash);
      else this.#crashes.set(scriptHash, kept);
    }
  }
}

function hash(script: string): string {
  return createHash('sha256').update(script).digest('hex').slice(0, 16);
}

import { createHash } from 'node:crypto';
import { SandboxError } from '@mustard-sandbox/daemon/protocol';

/** Remembers scripts that took their sidecar down, and refuses them once they did so too often. */
export class Quarantine {
  readonly #after: number;
  readonly #windowMs: number;
  readonly #now: () => number;
  readonly #crashes = new Map<string, number[]>();

  constructor(after: number, windowMs: number, now: () => number) {
    this.#after = after;
    this.#windowMs = windowMs;
    this.#now = now;
  }

  /** How many scripts would be refused now. */
  get size(): number {
    this.#forget();
    return [...this.#crashes.values()].filter((times) => times.length >= this.#after).length;
  }

  /** @throws {SandboxError} `quarantined` */
  check(script: string): void {
    // Hashing a script costs more than a trivial run; without a crash there is nothing to find.
    if (this.#crashes.size === 0) return;
    this.#forget();
    const scriptHash = hash(script);
    const crashes = this.#crashes.get(scriptHash)?.length ?? 0;
    if (crashes < this.#after) return;
    const minutes = Math.ceil(this.#windowMs / 60_000);
    throw new SandboxError(
      'quarantined',
      `This script took its sidecar down ${crashes} times and is refused for up to ${minutes} min. Change the script.`,
      { details: { scriptHash, crashes } },
    );
  }

  /** @returns the script's hash and its crashes within the window */
  record(script: string): { scriptHash: string; crashes: number; quarantined: boolean } {
    const scriptHash = hash(script);
    const times = [...(this.#crashes.get(scriptHash) ?? []), this.#now()];
    this.#crashes.set(scriptHash, times);
    this.#forget();
    return { scriptHash, crashes: times.length, quarantined: times.length >= this.#after };
  }

  #forget(): void {
    const oldest = this.#now() - this.#windowMs;
    for (const [scriptHash, times] of this.#crashes) {
      const kept = times.filter((at) => at > oldest);
      if (kept.length === 0) this.#crashes.delete(scriptHash);
      else this.#crashes.set(scriptHash, kept);
    }
  }
}

function hash(script: string): string {
  return createHash('sha256').update(script).digest('hex').slice(0, 16);
}

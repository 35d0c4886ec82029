import { maxProgressPerSecond, type RunSpent } from '@mustard-sandbox/protocol';
import type { RunRequest } from '../run-request.ts';
import type { Group } from './group.ts';

const everyMs = 1_000 / maxProgressPerSecond;
const nothing: RunSpent = {
  executionMs: 0,
  cpuMs: 0,
  instructionsUsed: 0,
  heapBytesUsed: 0,
  hostCalls: 0,
  bytesRead: 0,
};

/** Tells the caller of a run how far it is while it waits for the runs of `parallel`, and its own sidecar tells nothing. */
export class SharedProgress {
  readonly #tell: RunRequest['onProgress'];
  /** What the sidecar of the run reported last. */
  #own = nothing;
  #toldAt = 0;

  constructor(parent: RunRequest) {
    const tell = (this.#tell = parent.onProgress);
    if (tell !== undefined) parent.onProgress = (spent) => tell((this.#own = spent));
  }

  /** @param reached where one of the runs is */
  report({ bytes, startedAt }: Group, { reached }: RunSpent): void {
    const now = performance.now();
    if (this.#tell === undefined || now - this.#toldAt < everyMs) return;
    this.#toldAt = now;
    this.#tell({
      ...this.#own,
      executionMs: this.#own.executionMs + now - startedAt,
      bytesRead: this.#own.bytesRead + bytes.used,
      reached,
    });
  }
}

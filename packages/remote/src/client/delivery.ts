import { setTimeout as delay } from 'node:timers/promises';
import { Cancellation, SandboxError, within, type CancelSignal } from '@mustard-sandbox/protocol';
import type { RunRequest } from '@mustard-sandbox/client/peer';
import { assertKnown } from '../wire/known.ts';
import { comparesInPlace } from '../wire/protocol.ts';
import { closed, GaveWay, type Link, type ServerPeer } from './link.ts';
import type { SentRuns, WireResult } from './sent-runs.ts';
import { askedForUnnamed, missingOf, type Transfer } from './transfer.ts';
import { wrapScope, type WrappedScope } from './wrap.ts';

/** A server may need several rounds: the manifest of a folder, the files in it, the attachments. */
const mostRounds = 6;
/** How many connections a run that cannot have begun may try. */
const mostPeers = 6;

interface Parts {
  link: Link;
  runs: SentRuns;
  transfer: Transfer;
  /** Aborted when the sandbox is closed. */
  closing: AbortSignal;
  /** How long a busy server is asked again, in ms. */
  patienceMs: number;
}

/** Brings a run to the server, with the files that it needs. */
export class Delivery {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Sends the run, after the files that the server says it needs. A run that may have begun is never sent again. A run
   * whose connection broke before it was sent, such as during an upload, goes to the next connection.
   *
   * @param outer the run whose host function starts this one
   * @returns the answer, and the connection that gave it
   */
  async send(
    first: ServerPeer,
    request: RunRequest,
    outer: string | undefined,
  ): Promise<{ result: WireResult; peer: ServerPeer }> {
    let peer = first;
    for (let peers = 1; ; peers++) {
      const result = await this.#sendTo(peer, request, outer, peers === mostPeers);
      if (result !== undefined) return { result, peer };
      peer = await this.#parts.link.peer(request.signal);
      peer.hold(true);
    }
  }

  /** Returns `undefined` when the connection broke and the run cannot have begun. */
  async #sendTo(
    peer: ServerPeer,
    request: RunRequest,
    outer: string | undefined,
    isLast: boolean,
  ): Promise<WireResult | undefined> {
    const wrapped = await this.#wrap(peer, request);
    try {
      return await this.#inRounds(peer, request, wrapped, outer);
    } catch (error) {
      if (error instanceof GaveWay && !isLast) return undefined;
      throw error;
    } finally {
      peer.inlineLeft += wrapped?.inlined ?? 0;
    }
  }

  async #inRounds(
    peer: ServerPeer,
    request: RunRequest,
    wrapped: WrappedScope | undefined,
    outer: string | undefined,
  ): Promise<WireResult | undefined> {
    const { runs, transfer } = this.#parts;
    const busy = this.#busy(request.signal);
    for (let round = 1; ;) {
      const room = peer.room();
      if (room !== undefined) await within(room, { signal: request.signal });
      if (peer.isOver) throw new GaveWay();
      try {
        return await runs.send(peer, request, wrapped?.scope, outer);
      } catch (error) {
        if (await busy.wait(error)) continue;
        const missing = missingOf(error);
        if (missing === undefined || round++ === mostRounds) throw error;
        if (wrapped === undefined) throw askedForUnnamed();
        await this.#untilClosed(request.signal, (signal) =>
          transfer.send(wrapped, missing, { peer, asked: error, signal }),
        );
      }
    }
  }

  /** A server that has too much to do for this token says so before it runs anything. */
  #busy(signal: RunRequest['signal']): { wait: (error: unknown) => Promise<boolean> } {
    const until = performance.now() + this.#parts.patienceMs;
    let waitMs = 50;
    return {
      wait: async (error) => {
        const isBusy = error instanceof SandboxError && error.details['status'] === 429;
        if (!isBusy || performance.now() + waitMs > until) return false;
        await this.#untilClosed(signal, async (over) => {
          await within(delay(waitMs / 2 + (Math.random() * waitMs) / 2), { signal: over });
        });
        waitMs = Math.min(2 * waitMs, 2_000);
        return true;
      },
    };
  }

  async #wrap(peer: ServerPeer, { params, signal }: RunRequest): Promise<WrappedScope | undefined> {
    assertKnown(params, peer.facts.capabilities);
    const { scope } = params;
    const { transfer } = this.#parts;
    const wrapped = scope && (await wrapScope(scope, peer, transfer.knownHash));
    if (wrapped === undefined || !(peer.isExternal || peer.facts.capabilities.includes(comparesInPlace)))
      return wrapped;
    await this.#untilClosed(signal, async (until) => {
      await transfer.hashForComparison(wrapped.files, peer, until);
      if (peer.isExternal) await transfer.pack(wrapped, until);
    });
    return wrapped;
  }

  /** Work with files, which ends with the run's signal or with this sandbox. */
  async #untilClosed(signal: RunRequest['signal'], work: (until: CancelSignal) => Promise<void>): Promise<void> {
    const { closing } = this.#parts;
    const until = new Cancellation();
    const cancel = (): void => until.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    closing.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted === true || closing.aborted) cancel();
    try {
      await work(until);
    } catch (error) {
      throw closing.aborted ? closed() : error;
    } finally {
      signal?.removeEventListener('abort', cancel);
      closing.removeEventListener('abort', cancel);
    }
  }
}

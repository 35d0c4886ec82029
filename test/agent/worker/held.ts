// How long the event loop of this thread is held, whatever else the machine does.
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** What this thread has computed, in ms: the time on the clock would count other processes, too. */
function computedMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

/** The longest that this thread computes between two turns of its event loop, in ms. */
export async function heldBy(work: () => Promise<unknown>): Promise<number> {
  let [longest, last] = [0, computedMs()];
  const over = new AbortController();
  const look = (): void => {
    const now = computedMs();
    [longest, last] = [Math.max(longest, now - last), now];
  };
  const looking = (async () => {
    while (!over.signal.aborted) {
      await wait(1);
      look();
    }
  })();
  await work();
  look();
  over.abort();
  await looking;
  return longest;
}

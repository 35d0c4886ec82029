import * as client from './wire-client.mjs';
import * as daemon from './wire-daemon.mjs';

/** Both ends: a daemon under a client that is none, and the client over a sidecar that is none. */
export async function open() {
  const ends = [await daemon.open(), await client.open()];
  return {
    batchRuns: 10,
    laws: Object.assign({}, ...ends.map(({ laws }) => laws)),
    shares: ends.flatMap(({ shares }) => shares),
    remains: async () => (await Promise.all(ends.map((end) => end.remains()))).flat(),
    close: async () => void (await Promise.all(ends.map((end) => end.close()))),
  };
}

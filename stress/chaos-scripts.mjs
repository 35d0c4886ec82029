import { setTimeout as sleep } from 'node:timers/promises';

/**
 * @typedef {object} Plan
 * @property {string} name
 * @property {string} script
 * @property {'mustardscript'} [engine] left out: chosen by the script
 * @property {unknown} [wanted] the value, when nothing interferes; left out: never a value
 * @property {Record<string, number>} [asks] how often the script asks the host with each id
 * @property {number} [timeoutMs]
 * @property {boolean} [abort] always aborted: by itself it would not end soon
 */

const timeoutMs = 200;

/** The kinds of scripts, with how many of a hundred calls are of that kind. Each gets its own id as an input. */
const kinds = [
  { share: 31, name: 'trivial', make: (_id, n) => ({ script: `${n} + 1`, wanted: n + 1 }) },
  {
    share: 14,
    name: 'host calls',
    make: (id) => ({ script: 'touch(id + "a") + touch(id + "b")', wanted: 2, asks: { [`${id}a`]: 1, [`${id}b`]: 1 } }),
  },
  {
    share: 10,
    name: 'slow host call',
    make: (id) => ({ script: 'const x = await slow(id + "s"); x * 2', wanted: 2, asks: { [`${id}s`]: 1 } }),
  },
  {
    share: 5,
    name: 'asks twice',
    make: (id) => ({ script: '[touch(id + "t"), touch(id + "t")].length', wanted: 2, asks: { [`${id}t`]: 2 } }),
  },
  {
    share: 8,
    name: 'console',
    make: () => ({ script: 'for (let i = 0; i < 20; i++) console.log("line", i, id); 20', wanted: 20 }),
  },
  { share: 6, name: 'throws', make: () => ({ script: 'throw new Error("boom " + id)' }) },
  { share: 3, name: 'does not parse', make: () => ({ script: 'let = ;' }) },
  {
    share: 6,
    name: 'host function throws, caught',
    make: (id) => ({
      script: 'let r = "no"; try { broken(id + "x") } catch (e) { r = "caught" } r',
      wanted: 'caught',
      asks: { [`${id}x`]: 1 },
    }),
  },
  {
    share: 3,
    name: 'host function throws',
    make: (id) => ({ script: 'broken(id + "y")', asks: { [`${id}y`]: 1 } }),
  },
  {
    share: 3,
    name: 'host function never answers',
    make: (id) => ({ script: 'never(id + "n")', asks: { [`${id}n`]: 1 } }),
  },
  {
    share: 3,
    name: 'a person never answers',
    make: (id) => ({ script: 'person(id + "p")', asks: { [`${id}p`]: 1 }, abort: true }),
  },
  {
    share: 4,
    name: 'works',
    make: () => ({ script: 'let n = 0; for (let i = 0; i < 30000; i++) { n += i % 7 } n', wanted: 89_995 }),
  },
  { share: 3, name: 'loops', make: () => ({ script: 'while (true) {}', timeoutMs: 50 }) },
  {
    share: 1,
    name: 'crashes',
    make: () => ({ script: '"a".repeat(500000000).length', engine: 'mustardscript' }),
  },
];

/**
 * The nth call's script. No two are the same text, so that none is quarantined for what was done to another.
 *
 * @param {number} n
 * @returns {Plan & { id: string, timeoutMs: number }}
 */
export function planOf(n) {
  const id = `run${n}:`;
  let ticket = Math.random() * kinds.reduce((sum, { share }) => sum + share, 0);
  const kind = kinds.find(({ share }) => (ticket -= share) < 0) ?? kinds[0];
  const { script, ...plan } = kind.make(id, n);
  return { name: kind.name, id, timeoutMs, ...plan, script: `${script}\n// ${n}` };
}

/** Counts what the host was asked, by the id that each guest call brings along. */
export class Ledger {
  /** @type {Map<string, number>} */
  #asked = new Map();
  /** Asked after the run had settled. */
  late = 0;

  /** The host functions for one run. @param {{ settled: boolean }} run */
  hostFunctions(run) {
    const note = (id) => {
      if (run.settled) this.late++;
      this.#asked.set(id, (this.#asked.get(id) ?? 0) + 1);
      return 1;
    };
    const pending = (id) => {
      note(id);
      return new Promise(() => {});
    };
    return {
      touch: note,
      slow: async (id) => {
        const value = note(id);
        await sleep(5 + Math.random() * 75);
        return value;
      },
      broken: (id) => {
        note(id);
        throw new TypeError('broken on purpose');
      },
      never: { timeoutMs: 40, handler: pending },
      // With its 30 s: what waits for the answer must be gone when the run is.
      person: pending,
    };
  }

  /**
   * @param {Record<string, number>} asks
   * @returns what was asked more often than the script did, and what less often
   */
  compare(asks) {
    const differences = Object.entries(asks).map(([id, times]) => (this.#asked.get(id) ?? 0) - times);
    return { double: differences.filter((by) => by > 0).length, short: differences.filter((by) => by < 0).length };
  }
}
